"""A Ray cluster on the loopback address of this machine, as a process that adds and kills nodes on request.

Run as a script, it starts a cluster, prints its address, and reads commands: `add`, `kill` (the youngest node), and
the end of its input. Ray runs there and not in the process of the tests, where its warnings would be errors.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Nodes:
    """A cluster of nodes with one CPU each."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
            start_new_session=True,
        )
        self.address = self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        while True:  # Ray prints to standard output too
            line = self._process.stdout.readline()
            assert line, "the cluster ended"
            if line.startswith("nodes: "):
                return line.removeprefix("nodes: ").strip()

    def tell(self, command: str) -> None:
        """Let the cluster add or kill a node, and wait until it has done so."""
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        self._answer()

    def close(self) -> None:
        from waiting import wait_for_group

        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        wait_for_group(self._process.pid)


@contextmanager
def start_nodes(gate: Path) -> Iterator[Nodes]:
    """Start a cluster of two nodes whose workers know the resolver `trap`."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp", ignore_cleanup_errors=True) as folder:
        from engine_runs import make_environment

        nodes = Nodes(make_environment(gate, RAY_TMPDIR=folder))
        try:
            yield nodes
        finally:
            nodes.close()


def serve() -> None:
    from ray.cluster_utils import Cluster

    options = {
        "num_cpus": 1,
        "object_store_memory": 80 * 1024 * 1024,
        "temp_dir": os.path.join(os.environ["RAY_TMPDIR"], "ray"),
    }
    cluster = Cluster(initialize_head=True, head_node_args={**options, "include_dashboard": False})
    nodes = [cluster.add_node(**options)]
    sys.stdout.write(f"nodes: {cluster.address}" + "\n")
    sys.stdout.flush()
    for line in sys.stdin:
        if line == "add\n":
            nodes.append(cluster.add_node(**options))
        else:
            cluster.remove_node(nodes.pop(), allow_graceful=False)
        sys.stdout.write("nodes: done\n")
        sys.stdout.flush()
    cluster.shutdown()


if __name__ == "__main__":
    serve()
