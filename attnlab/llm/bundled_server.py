"""Runs llama.cpp's own server out of the package xllamacpp, in a process of its own: `python -m … MODEL PORT NAME`.

Ends when its standard input does, so that it never outlives the command that started it.
"""

import contextlib
import os
import signal
import sys


def main(model: str, port: str, name: str, context: str) -> None:
    """Serve until standard input ends."""
    # The Ctrl-C that ends the command reaches this process too; it is the command that ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {name}
    params.port = int(port)
    params.n_ctx = int(context)
    # Without this, any page open in the learner's browser could ask the model.
    params.cors_origins = "localhost"
    server = xllamacpp.Server(params)
    with contextlib.suppress(OSError):
        while sys.stdin.buffer.read(4096):
            pass
    del server
    os._exit(0)  # whatever thread still waits


if __name__ == "__main__":
    main(*sys.argv[1:])
