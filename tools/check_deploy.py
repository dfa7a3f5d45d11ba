"""Build an image without a Docker engine: `python tools/check_deploy.py api` or `annotation`.

Runs the steps of the build stages of deploy/Dockerfile in a clean folder, with paths of the image moved into it, then
starts the entry point with an empty environment and runs the health check until it succeeds. The annotation server uses
SQLite unless DATABASE and DATABASE_PASSWORD_FILE name another database, as in compose.yaml. What it cannot check: the
base images, the steps of the stages with system packages, and the users.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
PREFIX = "/opt/coindex"
PATIENCE = 120.0
DATABASE = ("DATABASE", "DATABASE_PASSWORD_FILE")
"""Variables that name the database of the annotation server; without them, it is SQLite."""


@dataclass
class Stage:
    """A stage of a Dockerfile: its base, and its instructions with their arguments."""

    name: str
    base: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def get(self, instruction: str) -> list[str]:
        """Return the arguments of all instructions of a kind."""
        return [argument for kind, argument in self.steps if kind == instruction]


def read_stages(path: Path = DOCKERFILE) -> dict[str, Stage]:
    """Return the stages of a Dockerfile by name."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    stages: dict[str, Stage] = {}
    stage = Stage("", "")
    for line in filter(None, map(str.strip, joined.splitlines())):
        kind, _, argument = line.partition(" ")
        if kind == "FROM":
            base, _, name = argument.partition(" AS ")
            stage = stages[name] = Stage(name, base)
        else:
            stage.steps.append((kind, argument))
    return stages


def lineage(stages: dict[str, Stage], name: str) -> list[Stage]:
    """Return a stage and those that it is based on, the first one first."""
    chain = []
    while name in stages:
        chain.append(stages[name])
        name = stages[name].base
    return chain[::-1]


def environment(stages: Sequence[Stage]) -> dict[str, str]:
    """Return the variables that these stages set."""
    pairs = [shlex.split(argument) for stage in stages for argument in stage.get("ENV")]
    return dict(pair.split("=", 1) for line in pairs for pair in line)


def is_ignored(path: str) -> bool:
    """Return whether a file of the repository is left out of the context of the build."""
    ignored = False
    for line in DOCKERFILE.with_name("Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.strip().removeprefix("!").removeprefix("**/")
        if not pattern or pattern.startswith("#"):
            continue
        parts = Path(path).parts
        prefixes = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
        names = prefixes if not line.startswith("**/") else list(parts)
        if any(fnmatch.fnmatch(name, pattern) for name in names):
            ignored = not line.startswith("!")
    return ignored


def build(stages: dict[str, Stage], target: str, folder: Path) -> Path:
    """Run the steps of the stages that a target copies from; return the folder that stands for /opt/coindex."""
    (copied,) = [argument for argument in stages[target].get("COPY") if argument.startswith("--from=")]
    source = copied.split()[0].removeprefix("--from=")
    prefix, work = folder / "opt", folder / "build"
    work.mkdir(parents=True)
    line = lineage(stages, source)
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), **_pip_settings(), **environment(line)}
    for stage in line:
        for kind, argument in stage.steps:
            if kind == "COPY":
                *names, to = argument.split()
                for name in names:
                    _copy(name, work / to)
            elif kind == "RUN":
                step = argument.replace(PREFIX, str(prefix))
                print(f"{stage.name}: {step}", flush=True)  # noqa: T201
                subprocess.run(["sh", "-ec", step], cwd=work, env=variables, check=True)
    return prefix


def _pip_settings() -> dict[str, str]:
    """Return the settings of pip, such as the index of packages."""
    return {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name.endswith("_PROXY")}


def _copy(name: str, to: Path) -> None:
    tracked = subprocess.check_output(["git", "ls-files", "-z", name], cwd=ROOT, text=True).split("\0")
    kept = [path for path in tracked if path and not is_ignored(path)]
    if not kept:
        sys.exit(f"COPY {name}: nothing of it is in the context")
    for path in kept:
        target = to / Path(path).relative_to(name) if (ROOT / name).is_dir() else to / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, target)


def start(stages: dict[str, Stage], target: str, prefix: Path, folder: Path) -> None:
    """Start the entry point, and run the health check until it succeeds."""
    line = lineage(stages, target)
    temporary = folder / "tmp"
    temporary.mkdir()
    variables = {**environment(line), "HOME": "/nonexistent", "TMPDIR": str(temporary)}
    variables["PATH"] = f"{prefix}/bin:{os.environ['PATH']}"
    if target == "annotation":
        variables["DATABASE"] = str(temporary / "coindex.db")
        variables |= {name: os.environ[name] for name in DATABASE if name in os.environ}
    (entry,) = line[-1].get("ENTRYPOINT")
    command = json.loads(entry)
    if command == ["annotation"]:
        command = ["sh", str(ROOT / "deploy" / "annotation.sh")]
    (check,) = line[-1].get("HEALTHCHECK")
    health = json.loads(check.partition("CMD ")[2])
    print(f"{target}: {shlex.join(command)}", flush=True)  # noqa: T201
    with subprocess.Popen(command, cwd=temporary, env=variables) as process:
        ends = time.monotonic() + PATIENCE
        while subprocess.run(health, env=variables, capture_output=True, check=False).returncode:
            if process.poll() is not None or time.monotonic() > ends:
                process.kill()
                sys.exit(f"{target}: the health check fails")
            time.sleep(0.5)
        process.terminate()
    print(f"{target}: healthy; stopped with {process.returncode}")  # noqa: T201


def main() -> None:
    """Build and start the targets that are named."""
    stages = read_stages()
    for target in sys.argv[1:] or ["api", "annotation"]:
        with tempfile.TemporaryDirectory(prefix="coindex-image-") as name:
            folder = Path(name)
            start(stages, target, build(stages, target, folder), folder)


if __name__ == "__main__":
    main()
