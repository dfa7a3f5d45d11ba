"""The files in deploy/: they fit the repository and each other, and follow the usual rules for images."""

from __future__ import annotations

import ast
import configparser
import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from check_deploy import ROOT, environment, is_ignored, lineage, read_stages
from coindex.cli.main import cli

DEPLOY = ROOT / "deploy"
STAGES = read_stages()
TARGETS = ("api", "annotation", "ray")


def parse_command(words: list[str]) -> dict[str, Any]:
    """The options of a coindex command; a wrong one is an error."""
    name, *arguments = words
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command.make_context(name, arguments).params


def compose() -> dict[str, Any]:
    settings: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return settings


def test_base_images_are_pinned() -> None:
    bases = {stage.base for stage in STAGES.values()} - STAGES.keys()
    assert len(bases) == 1
    assert all(re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base) for base in bases)
    images = [service["image"] for service in compose()["services"].values()]
    assert all(re.fullmatch(r"[a-z-]+:\d+\.\d+[\w.-]*", image) for image in images)


@pytest.mark.parametrize("target", TARGETS)
def test_images_run_without_root(target: str) -> None:
    line = lineage(STAGES, target)
    assert line[-1].get("USER") == ["10001:10001"]
    assert "10001" in next(step for stage in line for step in stage.get("RUN") if "useradd" in step)
    assert not any("PASSWORD" in name or "KEY" in name for name in environment(line))
    assert all("install" not in step or "--no-install-recommends" in step for step in line[-1].get("RUN"))


@pytest.mark.parametrize("target", ["api", "annotation"])
def test_images_have_a_health_check_and_an_entry_point(target: str) -> None:
    (check,) = STAGES[target].get("HEALTHCHECK")
    *_, code = json.loads(check.partition("CMD ")[2])
    ast.parse(code)
    (port,) = STAGES[target].get("EXPOSE")
    assert f":{port}/" in code
    (entry,) = STAGES[target].get("ENTRYPOINT")
    words = json.loads(entry)
    if target == "api":
        assert parse_command(words[1:])["port"] == int(port)
    else:
        script = (DEPLOY / "annotation.sh").read_text(encoding="utf-8")
        line = next(line for line in script.splitlines() if line.startswith("exec coindex"))
        assert parse_command(shlex.split(line)[2:-1])["port"] == int(port)


def test_what_is_copied_is_in_the_context() -> None:
    for stage in STAGES.values():
        for argument in stage.get("COPY"):
            *names, _ = [word for word in argument.split() if not word.startswith("--chmod")]
            if names[0].startswith("--from="):
                assert names[0].removeprefix("--from=") in STAGES
                continue
            for name in names:
                assert (ROOT / name).exists()
                assert not is_ignored(name)
    assert not is_ignored("src/coindex/__init__.py")
    for name in (
        ".git/config",
        "tests/conftest.py",
        "deploy/secrets/api_keys",
        "src/coindex/__pycache__/a.pyc",
        ".venv/x",
    ):
        assert is_ignored(name), name


def test_extras_of_the_images_exist() -> None:
    import tomllib

    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    steps = [step for name in ("build-api", "build-annotation") for step in STAGES[name].get("RUN")]
    extras = [extra for step in steps for extra in re.search(r"\.\[(.+)\]", step)[1].split(",")]  # type: ignore[index]
    assert extras
    assert set(extras) <= known.keys()


def test_the_services_of_compose() -> None:
    settings = compose()
    services, secrets = settings["services"], settings["secrets"]
    assert set(services) == {"api", "annotation", "database"}
    for name, service in services.items():
        assert service["read_only"] is True
        assert "no-new-privileges:true" in service["security_opt"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        assert set(service["secrets"]) <= secrets.keys()
        for value in service.get("environment", {}).values():
            assert not value.startswith("/run/secrets/") or value.rpartition("/")[2] in service["secrets"]
        if name != "database":
            assert service["cap_drop"] == ["ALL"]
            assert service["build"]["target"] == name
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    assert "ports" not in services["database"]
    assert settings["networks"][services["database"]["networks"][0]]["internal"] is True
    options = parse_command(["serve-api", *_without_files(services["api"]["command"])])
    stop = float(services["api"]["stop_grace_period"].removesuffix("s"))
    assert stop > options["drain"] + options["grace"]


def _without_files(words: list[str]) -> list[str]:
    """The words without the file of keys, which exists in the container only."""
    at = words.index("--api-key-file")
    assert words[at + 1].startswith("/run/secrets/")
    return words[:at] + words[at + 2 :]


@pytest.mark.parametrize("path", sorted(DEPLOY.glob("systemd/*.service")), ids=lambda path: path.name)
def test_systemd_units(path: Path) -> None:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path, encoding="utf-8")
    service = parser["Service"]
    program, *words = shlex.split(service["ExecStart"])
    assert program == "/opt/coindex/bin/coindex"
    if "--api-key-file" in words:
        at = words.index("--api-key-file")
        assert words[at + 1] == f"%d/{service['LoadCredential'].partition(':')[0]}"
        words = words[:at] + words[at + 2 :]
        assert float(service["TimeoutStopSec"]) > parse_command(words)["grace"]
    assert parse_command(words)["host"] == "127.0.0.1"
    assert (service["DynamicUser"], service["ProtectSystem"]) == ("yes", "strict")


def test_the_ray_job() -> None:
    job = yaml.safe_load((DEPLOY / "ray" / "job.yaml").read_text(encoding="utf-8"))
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    words = shlex.split(job["spec"]["entrypoint"])
    assert words[:2] == ["coindex", "resolve"]
    assert words[words.index("--engine") + 1] == "ray"
    cluster = job["spec"]["rayClusterSpec"]
    pods = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    for pod in (pod["template"]["spec"] for pod in pods):
        assert pod["securityContext"]["runAsUser"] == 10001
        (container,) = pod["containers"]
        assert container["securityContext"]["allowPrivilegeEscalation"] is False


@pytest.mark.parametrize("name", ["annotation.sh", "ray/slurm.sh"])
def test_shell_scripts_can_be_parsed(name: str) -> None:
    path = DEPLOY / name
    shell = path.read_text(encoding="utf-8").splitlines()[0].rpartition("/")[2]
    assert path.stat().st_mode & 0o111
    subprocess.run([shell, "-n", path], check=True)


def test_python_files_can_be_parsed() -> None:
    ast.parse((DEPLOY / "ray" / "serve_api.py").read_text(encoding="utf-8"))


def test_proxies_pass_on_to_the_ports_of_the_services() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    caddy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    for text in (nginx, caddy):
        assert text.count("{") == text.count("}")
        assert set(re.findall(r"127\.0\.0\.1:(\d+)", text)) == {"8000", "8001"}
    statements = [line.partition("#")[0].strip() for line in nginx.splitlines()]
    assert all(line.endswith((";", "{", "}")) for line in statements if line)
    parameters = parse_command(["serve-api"])
    timeout = re.search(r"proxy_read_timeout (\d+)s", nginx)
    assert timeout
    assert float(timeout[1]) > parameters["timeout"]


def test_every_file_is_listed_in_the_readme() -> None:
    readme = (DEPLOY / "README.md").read_text(encoding="utf-8")
    files = subprocess.check_output(["git", "ls-files", "deploy"], cwd=ROOT, text=True).split()
    names = [name.removeprefix("deploy/") for name in files if not name.endswith(("README.md", ".gitignore"))]
    assert names
    assert [name for name in names if f"`{name}`" not in readme] == []
