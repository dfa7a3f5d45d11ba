"""`coindex train`: output files, refused settings, and runs that are interrupted or killed."""

import json
import os
import signal
import subprocess
import sys

import pytest

from command import run
from tiny_model import CONFIG, make_run, small_disk
from waiting import wait_until

PLAIN = CONFIG.replace('encoder = "encoder"', 'encoder = "some/encoder"')


@pytest.fixture
def config(tmp_path):
    """A configuration with its encoder and corpus."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return make_run(tmp_path / "here")


def rows(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def weights(run_folder):
    return {name: (run_folder / name / "model.safetensors").read_bytes() for name in ("best", "last")}


def test_a_run_leaves_models_and_a_log(config, tmp_path):
    done = run("train", config, "-o", tmp_path / "run")
    assert done.code == 0, done.err
    assert done.out.decode() == (
        f"best model: {tmp_path}/run/best; export it with: coindex export {tmp_path}/run/best\n"
    )
    assert "epoch 2, " in done.err
    assert "coindex|crac24@1|match:exact|sing:yes" in done.err
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == ["best", "checkpoint.pt", "last", "log.jsonl"]
    log = rows(tmp_path / "run")
    assert [row["epoch"] for row in log] == [1, 2]
    table = next(line for line in done.err.splitlines() if line.startswith("stories"))
    assert table.split()[1] == f"{log[0]['scores']['stories']['conll']:.2f}"
    assert run("train", config, "-o", tmp_path / "run").code == 0  # it is done
    assert rows(tmp_path / "run") == log


def test_a_student_learns_from_the_output_of_its_teacher(config, tmp_path):
    assert run("train", config, "-o", config.parent / "first").code == 0
    pupil = config.with_name("pupil.toml")
    text = config.read_text(encoding="utf-8")
    pupil.write_text(
        text.replace("[[corpora]]", '[distil]\nteachers = ["first/best"]\n\n[[corpora]]\nunlabelled = true'),
        encoding="utf-8",
    )
    done = run("train", pupil, "-o", tmp_path / "run")
    assert done.code == 0, done.err
    assert "teachers labelled 12 of 12 documents" in done.err
    assert rows(tmp_path / "run")[0] == {"labelled": 12, "of": 12}
    model = json.loads((tmp_path / "run/best/model.json").read_text(encoding="utf-8"))
    assert model["config"]["distil"]["teachers"] == ["first/best"]


def test_paths_begin_at_the_configuration_and_stay_as_written(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("train", "here/tiny.toml").code == 0
    data = json.loads((tmp_path / "runs" / "tiny" / "best" / "model.json").read_text(encoding="utf-8"))
    assert list(data["data"]) == ["stories.jsonlines"]
    assert data["config"]["model"]["encoder"] == "encoder"
    assert str(tmp_path) not in json.dumps(data)


def test_data_may_be_in_another_folder_and_move_during_an_interrupted_run(config, tmp_path):
    (tmp_path / "there").mkdir()
    (config.parent / "stories.jsonlines").rename(tmp_path / "there" / "stories.jsonlines")
    missing = run("train", config, "-o", tmp_path / "run")
    assert missing.code == 2
    assert "stories.jsonlines: the corpus stories does not exist" in missing.err
    assert not (tmp_path / "run").exists()
    assert run("train", config, "-o", tmp_path / "run", "--data", tmp_path / "there").code == 0
    (tmp_path / "there").rename(tmp_path / "moved")
    assert run("train", config, "-o", tmp_path / "run", "--data", tmp_path / "moved").code == 0


def test_values_can_be_set(config, tmp_path):
    done = run("train", config, "-o", tmp_path / "run", "--set", "train.epochs=1", "--set", "name=mine", "--seed", 9)
    assert done.code == 0
    data = json.loads((tmp_path / "run" / "best" / "model.json").read_text(encoding="utf-8"))
    assert (data["config"]["train"]["epochs"], data["config"]["name"], data["seed"]) == (1, "mine", 9)


def test_json_goes_to_standard_output(config, tmp_path):
    done = run("train", config, "-o", tmp_path / "run", "--json")
    *log, last = (json.loads(line) for line in done.out.decode().splitlines())
    assert log == rows(tmp_path / "run")
    assert last == {"best": f"{tmp_path}/run/best"}


def test_another_run_in_the_folder_is_kept_until_restart(config, tmp_path):
    arguments = ("train", config, "-o", tmp_path / "run", "--set", "train.epochs=1")
    assert run(*arguments).code == 0
    (tmp_path / "run" / "notes.txt").write_text("mine", encoding="utf-8")
    before = weights(tmp_path / "run")
    refused = run(*arguments, "--seed", 2)
    assert refused.code == 2
    assert "written with another configuration or other data" in refused.err
    assert "--restart" in refused.err
    # nothing is removed where the new run cannot even begin
    assert run(*arguments, "--restart", "--set", 'model.features=["nix"]').code == 2
    assert weights(tmp_path / "run") == before
    assert run(*arguments, "--seed", 2, "--restart").code == 0
    assert weights(tmp_path / "run") != before
    assert len(rows(tmp_path / "run")) == 1
    assert (tmp_path / "run" / "notes.txt").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN.replace("epochs =", "epoch ="), "train 'epoch'; did you mean epochs"),
        (PLAIN + "licnce = 3\n", "'licnce'; did you mean licence"),
        (PLAIN.replace('name = "tiny"', ""), "the key 'name' is missing"),
        (PLAIN.replace("[model]", "[model"), "invalid TOML"),
    ],
)
def test_a_bad_configuration_is_refused(tmp_path, text, message):
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    done = run("train", path, "-o", tmp_path / "run")
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("train.epoch=3", "unknown key in changes: train 'epoch'; did you mean epochs"),
        ("train.epochs=many", "expected int, not 'many'"),
        ("trian.epochs=3", "unknown key trian.epochs; use SECTION.KEY"),
        ("corpora=3", "unknown key corpora; use SECTION.KEY"),
        ("train.epochs", "write it as NAME=VALUE"),
    ],
)
def test_bad_changes_are_refused(tmp_path, change, message):
    path = tmp_path / "run.toml"
    path.write_text(PLAIN, encoding="utf-8")
    done = run("train", path, "--set", change)
    assert done.code == 2
    assert message in done.err


def test_an_encoder_that_cannot_be_loaded_is_reported(config, tmp_path):
    (config.parent / "empty").mkdir()
    done = run("train", config, "-o", tmp_path / "run", "--set", "model.encoder=empty")
    assert done.code == 2
    assert "cannot be loaded" in done.err
    assert "use the name of a Hugging Face encoder, or a folder" in done.err


def test_a_corpus_without_entities_is_refused(config, tmp_path):
    (config.parent / "stories.jsonlines").write_text('{"doc_key": "d", "sentences": [["Yes"]], "clusters": []}\n')
    done = run("train", config, "-o", tmp_path / "run")
    assert done.code == 2
    assert "stories.jsonlines: the training corpus has no entities" in done.err


@pytest.mark.parametrize("package", ["torch", "transformers", "safetensors", "filelock"])
def test_a_missing_package_is_named_with_its_remedy(tmp_path, monkeypatch, package):
    if package != "torch":
        pytest.importorskip("torch")
    path = tmp_path / "run.toml"
    path.write_text(PLAIN, encoding="utf-8")
    monkeypatch.setitem(sys.modules, package, None)
    done = run("train", path)
    assert done.code == 2
    assert f"{package!r}, which is not installed; install it with: pip install 'coindex[train]'" in done.err


def test_without_torch_nothing_fails_before_the_check(tmp_path):
    """In a new process: here, most modules are imported already."""
    path = tmp_path / "run.toml"
    path.write_text(PLAIN, encoding="utf-8")
    program = "import sys; sys.modules['torch'] = None; from coindex.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "train", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "'torch', which is not installed; install it with: pip install 'coindex[train]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_kind_of_model_is_refused(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text('kind = "crss"\n' + PLAIN, encoding="utf-8")
    done = run("train", path)
    assert done.code == 2
    assert "'crss'; did you mean cross" in done.err


# --- what ends a run before its end


def start(config, folder, *more, **options):
    """The command in a process of its own, with a checkpoint at every step."""
    command = [sys.executable, "-m", "coindex", "train", str(config), "-o", str(folder), *EVERY_STEP, *more]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **options
    )


EVERY_STEP = ("--set", "train.save_minutes=0", "--set", "train.epochs=8")


def test_two_runs_do_not_share_a_folder(config, tmp_path):
    folder = tmp_path / "run"
    process = start(config, folder)
    try:
        wait_until((folder / "checkpoint.pt").exists, process)
        done = run("train", config, "-o", folder, *EVERY_STEP)
        assert done.code == 2
        assert f"{folder}: another run is using the folder" in done.err
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


def test_a_killed_run_ends_as_an_unbroken_one(config, tmp_path):
    folder = tmp_path / "broken"
    for path in ("checkpoint.pt", "best/model.json"):
        process = start(config, folder)
        wait_until((folder / path).exists, process)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write('{"epoch": 1, "st')  # as a kill would leave it

    process = start(config, folder, "--json")
    assert json.loads(process.stdout.readline())["resumed"]
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert f"the last checkpoint is saved in {folder}; run the same command to continue" in told
    assert "Traceback" not in told

    assert run("train", config, "-o", folder, *EVERY_STEP).code == 0
    assert run("train", config, "-o", tmp_path / "whole", *EVERY_STEP).code == 0
    assert weights(folder) == weights(tmp_path / "whole")
    scores = [[row["scores"] for row in rows(one) if "scores" in row][-1] for one in (folder, tmp_path / "whole")]
    for one in scores:
        del one["stories"]["words_per_second"]
    assert scores[0] == scores[1]
    assert [row["epoch"] for row in rows(folder) if "resumed" in row]
    assert not list(folder.glob("*.part"))


def test_a_run_in_the_background_ignores_ctrl_c_and_ends_by_kill(config, tmp_path):
    """A shell that starts it with & or nohup lets it ignore SIGINT; `kill` sends SIGTERM."""
    folder = tmp_path / "run"
    process = start(config, folder, "--json", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    wait_until((folder / "checkpoint.pt").exists, process)
    process.send_signal(signal.SIGINT)
    process.stdout.readline()
    saved = (folder / "checkpoint.pt").stat().st_mtime_ns
    wait_until(lambda: (folder / "checkpoint.pt").stat().st_mtime_ns != saved, process)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err.count("saving a checkpoint") == 1
    assert "run the same command to continue" in err


def test_a_full_disk_leaves_the_last_checkpoint_and_the_best_model(config, tmp_path):
    from coindex.api import load, train
    from coindex.training.run import Stopped

    def stop(progress):
        if (progress.epoch, progress.step) == (2, 3):
            raise Stopped("enough")

    folder = tmp_path / "run"
    with pytest.raises(Stopped):
        train(config, folder, tick=stop)
    checkpoint, best = (folder / "checkpoint.pt").read_bytes(), weights_of(folder / "best")
    with small_disk(len(checkpoint) // 2):
        done = run("train", config, "-o", folder)
    assert done.code == 2
    assert "checkpoint.pt: cannot be written: " in done.err
    assert "the previous version is unchanged; free disk space" in done.err
    assert "run the same command to continue" in done.err
    assert "Traceback" not in done.err
    assert (folder / "checkpoint.pt").read_bytes() == checkpoint
    assert weights_of(folder / "best") == best
    assert load(f"{folder / 'best'}")("Anna met Boris .").entities is not None
    assert not list(folder.glob("*.part"))

    assert run("train", config, "-o", folder).code == 0
    assert run("train", config, "-o", tmp_path / "whole").code == 0
    assert weights(folder) == weights(tmp_path / "whole")


def weights_of(model):
    return {file.name: file.read_bytes() for file in model.iterdir()}


def test_a_full_disk_leaves_the_best_model_while_the_next_is_written(config, tmp_path):
    from coindex.api import train
    from coindex.training.neural.folder import load_model, save_model
    from coindex.training.run import WriteError

    best = train(config, tmp_path / "run")
    before = weights_of(best)
    model = load_model(best)
    with (
        small_disk((best / "model.safetensors").stat().st_size // 2),
        pytest.raises(WriteError, match="the previous version is unchanged"),
    ):
        save_model(best, model, {"epoch": 9})
    assert weights_of(best) == before
    assert not list(best.parent.glob("best.*"))
