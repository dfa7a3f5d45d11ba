"""Models in distributions of their own: built, installed, found by entry points, and reported if they are damaged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

for package in ("torch", "transformers", "onnx", "onnxruntime", "hatchling"):
    pytest.importorskip(package)

import coindex  # noqa: E402 - after the check for packages
from coindex.document import Document  # noqa: E402
from coindex.errors import CoindexError, CoindexWarning  # noqa: E402
from coindex.resolvers import companions, defaults, registry  # noqa: E402
from coindex.resolvers.companions import KNOWN, Companion  # noqa: E402
from command import run  # noqa: E402
from tiny_model import make_run  # noqa: E402

ROOT = Path(__file__).parents[2]
STORY = "Anna saw Boris . She lost her dog ."
GERMAN = "Die alte Frau verlor gestern ihren Schlüssel, und sie suchte ihn unter der Brücke."
MULTILINGUAL = Companion(
    name="xx-tiny", distribution="coindex-xx-tiny", summary="a model", languages=("de", "en", "fr"), licence="CC0"
)


def build(source: Path, model: Path | None, target: Path) -> subprocess.CompletedProcess[str]:
    """Install a distribution with this model into a folder, without a network and without its dependencies."""
    if model is not None:
        (package,) = (source / "src").iterdir()
        shutil.copytree(model, package / "model")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(source)]
    source.parent.joinpath("tmp").mkdir()  # hatchling leaves files behind if a build fails
    environment = {**os.environ, "TMPDIR": str(source.parent / "tmp")}
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, env=environment)


def copy_package(folder: Path, **changes: str) -> Path:
    """Copy packages/en-base without a model; the changes replace text of pyproject.toml."""
    source = Path(shutil.copytree(ROOT / "packages" / "en-base", folder, ignore=shutil.ignore_patterns("model")))
    text = (source / "pyproject.toml").read_text(encoding="utf-8")
    for old, new in changes.items():
        old = old.replace("_", "-")
        assert old in text
        text = text.replace(old, new)
    (source / "pyproject.toml").write_text(text, encoding="utf-8")
    return source


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny exported model."""
    folder = tmp_path_factory.mktemp("model")
    best = coindex.train(make_run(folder), folder / "run", changes={"train.epochs": 1})
    exported, _ = coindex.export(best, folder / "exported")
    return exported


@pytest.fixture(scope="module")
def wheel(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed distribution of a tiny model."""
    folder = tmp_path_factory.mktemp("wheel")
    done = build(copy_package(folder / "source"), model, folder / "target")
    assert done.returncode == 0, done.stderr
    return folder / "target"


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch):
    """A function that makes only the distributions in these folders visible."""

    def show(*folders: Path) -> None:
        from importlib.metadata import DistributionFinder, MetadataPathFinder

        context = DistributionFinder.Context(path=[str(folder) for folder in folders])
        entries = [entry for dist in MetadataPathFinder.find_distributions(context) for entry in dist.entry_points]
        monkeypatch.setattr(
            companions, "entry_points", lambda *, group: [entry for entry in entries if entry.group == group]
        )
        for folder in folders:
            monkeypatch.syspath_prepend(folder)
        companions._entry_points.cache_clear()

    yield show
    companions._entry_points.cache_clear()


@pytest.fixture
def copied(wheel: Path, tmp_path: Path, use) -> Path:
    """A copy of the installed distribution that a test may damage."""
    target = Path(shutil.copytree(wheel, tmp_path / "target"))
    use(target)
    return target


def load_error(name: str | None = None) -> CoindexError:
    with pytest.raises(CoindexError) as raised:
        coindex.load(name)
    return raised.value


# --- installed

SCRIPT = """
import json, sys, coindex
resolver = coindex.load()
doc = resolver(sys.argv[1])
row = next(row for row in coindex.resolvers() if row.name == "en-base")
print(json.dumps([resolver.name, len(doc.tokens), row.install, [option.choices for option in row.options[:1]]]))
"""


def test_it_is_found_in_another_process(wheel: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(wheel)}

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", check=True, env=environment, input=STORY
        )

    name, words, install, choices = json.loads(python("-c", SCRIPT, STORY).stdout)
    assert (name, words, install) == ("en-base", 9, "")
    assert choices == [["stories", "none"]]
    done = python("-m", "coindex", "resolve", "-", "--to", "json")
    assert done.stderr.splitlines()[0].startswith("resolver: en-base (")
    (row,) = json.loads(python("-m", "coindex", "resolvers", "en-base", "--json").stdout)
    assert (row["installed"], row["install"], row["languages"]) == (True, None, ["en"])
    assert row["licence"] == KNOWN["en-base"].licence


def test_it_is_the_default_for_english(wheel: Path, use) -> None:
    use(wheel)
    assert coindex.load().name == defaults.default_for("en") == "en-base"
    assert defaults.choose(Document.from_text("Nora left.", language="en")) == ("en-base", "en")
    assert coindex.load("en-small").name == "en-small"


def test_its_checksum_is_recorded(wheel: Path, use) -> None:
    from coindex.api.evaluation import model_hashes
    from coindex.resolvers.neural.folder import file_hash

    use(wheel)
    expected = file_hash(wheel / "coindex_en_base" / "model" / "model.json")
    assert model_hashes(coindex.load("en-base")) == {"en-base": expected}


def test_the_licences_are_installed(wheel: Path) -> None:
    licences = next(wheel.glob("coindex_en_base-*.dist-info")) / "licenses"
    assert {path.name for path in licences.iterdir()} == {"LICENSE", "LICENSE-APACHE", "NOTICE"}


# --- absent


def test_without_it_the_included_model_is_the_default(use) -> None:
    use()
    assert coindex.load().name == defaults.default_for("en") == "en-small"
    lines = run("resolvers").out.decode().splitlines()
    row = next(number for number, line in enumerate(lines) if line.startswith("en-base "))
    assert lines[row + 1].endswith("not installed: pip install coindex-en-base")
    assert "installed  no; install it with: pip install coindex-en-base" in run("resolvers", "en-base").out.decode()
    (data,) = json.loads(run("resolvers", "en-base", "--json").out)
    assert (data["installed"], data["install"]) == (False, "pip install coindex-en-base")


@pytest.mark.parametrize("name", ["en-base", "en-base(scheme=gum)"])
def test_using_it_without_installing_it(use, name: str) -> None:
    use()
    done = run("resolve", "-", "-r", name, input=STORY.encode())
    assert (done.code, done.err) == (
        2,
        "error: en-base is not installed; install it with: pip install coindex-en-base\n",
    )
    assert load_error(name).code == "missing-model"


def test_a_build_without_the_model_fails(tmp_path: Path) -> None:
    done = build(copy_package(tmp_path / "source"), None, tmp_path / "target")
    assert done.returncode != 0
    assert "src/coindex_en_base/model" in done.stderr + done.stdout


# --- damaged or incompatible


@pytest.mark.parametrize(
    ("name", "code"),
    [("words.onnx", "missing-model-file"), ("tokenizer.json", "missing-model-file"), ("model.json", "invalid-model")],
)
def test_a_missing_file_names_the_distribution(copied: Path, name: str, code: str) -> None:
    (copied / "coindex_en_base" / "model" / name).unlink()
    error = load_error()
    assert error.code == code
    assert error.message.startswith("coindex-en-base 0.1.0 cannot be used (")
    assert error.message.endswith("pip install --force-reinstall --no-deps coindex-en-base")


def test_a_changed_file_names_the_distribution(copied: Path) -> None:
    with (copied / "coindex_en_base" / "model" / "links.onnx").open("ab") as stream:
        stream.write(b"x")
    error = load_error()
    assert error.code == "model-checksum"
    assert "coindex-en-base 0.1.0" in str(error)


def test_a_missing_package_names_the_distribution(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(companions, "find_spec", lambda name: None)  # the real one may be installed
    error = load_error()
    assert error.code == "missing-model"
    assert "coindex-en-base 0.1.0 is damaged" in str(error)
    assert "en-base" in run("resolvers").out.decode()  # the list is shown anyway


def test_a_model_of_a_later_version_names_the_remedy(copied: Path) -> None:
    path = copied / "coindex_en_base" / "model" / "model.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, "version": data["version"] + 1}), encoding="utf-8")
    error = load_error()
    assert error.code == "unknown-version"
    assert error.message.startswith("coindex-en-base 0.1.0 cannot be used (model version 2 is not supported")
    assert error.message.endswith("pip install --upgrade coindex")
    assert load_error(f"{path.parent}{os.sep}").code == "unknown-version"  # the same for a folder


# --- other distributions


@pytest.fixture(scope="module")
def other(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed distribution of somebody else, with a model that coindex does not know."""
    folder = tmp_path_factory.mktemp("other")
    source = copy_package(folder / "source", coindex_en_base="acme-models", **{'en-base = "': 'acme = "'})
    done = build(source, model, folder / "target")
    assert done.returncode == 0, done.stderr
    return folder / "target"


def test_a_model_of_somebody_else(other: Path, use) -> None:
    use(other)
    resolver = registry.get_resolver("acme")
    assert (resolver.languages, resolver.licence, resolver.install) == (("en",), "CC-BY-SA-4.0 AND Apache-2.0", "")
    assert resolver.summary == "The model en-base for coindex: coreference resolution for English"
    assert coindex.load("acme").name == "acme"
    assert registry.resolver_names()[:2] == ("en-base", "acme")
    assert defaults.default_for("en") == "en-small"  # only known models are chosen automatically


def test_two_distributions_with_a_model_of_that_name(wheel: Path, model: Path, tmp_path: Path, use) -> None:
    done = build(copy_package(tmp_path / "source", coindex_en_base="acme-models"), model, tmp_path / "target")
    assert done.returncode == 0, done.stderr
    use(wheel, tmp_path / "target")
    error = load_error("en-base")
    assert error.code == "missing-model"
    assert "coindex-en-base 0.1.0 and acme-models 0.1.0; uninstall all but one" in str(error)


def test_names_of_coindex_are_not_replaced(other: Path, use, monkeypatch: pytest.MonkeyPatch) -> None:
    use(other)
    monkeypatch.setitem(registry.MODULES, "acme", "rules.singleton")
    with pytest.warns(CoindexWarning, match="the model acme of acme-models is ignored"):
        names = [resolver.name for resolver in registry.all_resolvers()]
    assert names[1] != "acme"
    assert registry.get_resolver("acme").name == "singleton"


# --- a line in the table


def test_a_known_model_is_recommended_for_its_languages(use, monkeypatch: pytest.MonkeyPatch) -> None:
    use()
    monkeypatch.setitem(KNOWN, "xx-tiny", MULTILINGUAL)
    for problem in (lambda: coindex.load(language="de"), lambda: defaults.choose(Document.from_text(GERMAN))):
        with pytest.raises(CoindexError, match=r"install xx-tiny \(pip install coindex-xx-tiny\), or use") as raised:
            problem()
        assert raised.value.code == "unsupported-language"


def test_a_model_for_few_languages_is_preferred(use, monkeypatch: pytest.MonkeyPatch) -> None:
    use()
    monkeypatch.setitem(KNOWN, "xx-tiny", MULTILINGUAL)
    monkeypatch.setattr(defaults, "is_installed", lambda name: True)
    assert defaults.trained_models() == {"en": "en-base", "de": "xx-tiny", "fr": "xx-tiny"}
    assert defaults.choose(Document.from_text(GERMAN)) == ("xx-tiny", "de")
    monkeypatch.setattr(defaults, "is_installed", lambda name: name == "xx-tiny")
    assert defaults.trained_models()["en"] == "en-small"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "packages").glob("*/pyproject.toml")), ids=lambda path: path.parent.name
)
def test_the_distributions_of_the_repository_are_known(path: Path) -> None:
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    ((name, package),) = project["entry-points"][companions.GROUP].items()
    assert name == path.parent.name
    assert KNOWN[name].distribution == project["name"]
    assert (path.parent / "src" / package / "__init__.py").is_file()
    assert all((path.parent / licence).is_file() for licence in project["license-files"])


def test_the_wheel_of_coindex_is_small(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("coindex-*.whl")
    assert wheel.stat().st_size < 80e6
