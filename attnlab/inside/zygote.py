"""The warm process: it has everything imported that a notebook needs, and forks a kernel for each.

It lives behind bubblewrap's walls and does what it is told over one socket, by JSON; where that socket closes, as it
does when the grading process ends in whatever way, it ends, and every kernel with it. No learner's code ever runs in
it, and no operation of torch either: after one that has used threads, a forked kernel hangs.
"""

import contextlib
import gc
import importlib
import importlib.util
import json
import os
import pkgutil
import signal
import socket
import sys
import time
import traceback
from typing import Any, NoReturn

from attnlab.inside import jail

_MODULES = (
    *("torch", "torch.nn.functional", "torch.optim", "torch.testing._comparison", "torch._dynamo", "numpy"),
    *("matplotlib.pyplot", "matplotlib.backends.backend_agg", "matplotlib_inline.backend_inline"),
    *(
        "ipykernel.debugger",
        "ipykernel.kernelapp",
        "ipykernel.ipkernel",
        "ipykernel.zmqshell",
        "ipykernel.subshell_manager",
    ),
    *("IPython.core.completerlib", "IPython.core.debugger", "IPython.core.magics", "IPython.extensions.storemagic"),
    *("IPython.core.oinspect", "comm", "asyncio", "tornado.platform.asyncio"),
    "zmq.eventloop.zmqstream",
)
_OURS = ("attnlab.learn", "attnlab.inside")
_MARGINS = {"left": 0.16, "right": 0.97, "bottom": 0.22, "top": 0.85, "wspace": 0.45, "hspace": 0.3}
_GLANCE = 0.05
"""Seconds between two looks at a kernel's memory."""


def _import_all() -> None:
    # Half of a kernel's start would go into its debugger, which takes part in nothing here.
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    for name in _MODULES:
        # Of the packages, some move their parts from one version to the next; the kernel then imports them itself.
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    del sys.modules["debugpy"]
    for package in _OURS:
        importlib.import_module(package)
        for found in pkgutil.walk_packages(sys.modules[package].__path__, package + "."):
            if found.name != __spec__.name:
                importlib.import_module(found.name)
    threads = os.listdir("/proc/self/task")
    if len(threads) > 1:
        raise RuntimeError(f"{len(threads)} threads after the imports; only one would be there after a fork")


def serve(requests: socket.socket) -> None:
    """Fork a kernel for each request until the other end is closed; answer with a descriptor of its first process."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    requests.send(json.dumps({"ready": True}).encode())
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, 1 << 20, 1)
        if not message:
            return
        (report,) = descriptors
        try:
            jail.new_pid_namespace()
            process = os.fork()
            if process == 0:
                _keep_only(report)
                _first_process(json.loads(message), report)
            jail.own_pid_namespace(own)
        except OSError as error:
            requests.send(json.dumps({"error": str(error)}).encode())
        else:
            handle = os.pidfd_open(process)
            socket.send_fds(requests, [b"{}"], [handle])
            os.close(handle)
        finally:
            os.close(report)


def _keep_only(*descriptors: int) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in descriptors:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _say(report: int, **what: Any) -> None:
    with contextlib.suppress(OSError):
        os.write(report, json.dumps(what).encode() + b"\n")


def _first_process(request: dict[str, Any], report: int) -> NoReturn:
    """Be process 1 of a kernel's namespace: put up its walls, fork it, watch it, say what ended it.

    The namespace ends with this process, and with it all that the learner's code has started. No signal from inside
    reaches it, as it handles none.
    """
    try:
        for one in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        jail.die_with_parent()
        # Where the machine runs out of memory, this ends first.
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write("1000")
        jail.namespaces()
        jail.files(request["run"], request["limits"]["scratch_mb"])
        here, there = socket.socketpair()
        kernel = os.fork()
        if kernel == 0:
            here.close()
            os.close(report)
            _kernel(request, there)
        there.close()
        here.settimeout(60)
        if here.recv(1):  # nothing where it could not start
            jail.seal()
            jail.surrender(request["uid"], dumpable=False)
            here.send(b"!")
            _say(report, ready=True)
        here.close()
        ended, by = _watch(kernel, request["limits"])
        _say(report, ended=ended, by=by)
    except BaseException as error:
        traceback.print_exc()
        _say(report, ended=f"walls could not be put up: {type(error).__name__}: {error}")
    os._exit(0)


def _watch(kernel: int, limits: dict[str, int]) -> tuple[str, str]:
    """Wait until the kernel ends or goes beyond a limit; return what has ended it, as a sentence and as a word."""
    deadline = time.monotonic() + limits["wall_seconds"]
    memory = limits["memory_mb"] << 20
    while True:
        signal.sigtimedwait({signal.SIGCHLD}, _GLANCE)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == kernel:
                    return _end(os.waitstatus_to_exitcode(ended[1]), limits)
        if time.monotonic() > deadline:
            return f"ran longer than {limits['wall_seconds']} s", "time"
        processes = jail.others()
        if len(processes) > limits["processes"]:
            return f"started more than {limits['processes']} processes", "processes"
        if jail.memory_of(processes, memory) > memory:
            return f"used more than {limits['memory_mb'] / 1024:.2g} GB of memory", "memory"


def _end(status: int, limits: dict[str, int]) -> tuple[str, str]:
    if status == -signal.SIGXCPU:
        return f"used more than {limits['cpu_seconds']} s of processor time", "time"
    if status < 0:
        return f"ended by signal {-status} ({signal.Signals(-status).name})", "signal"
    return f"ended by its own code (status {status})", "code"


def _kernel(request: dict[str, Any], gate: socket.socket) -> NoReturn:
    """Be the kernel: give every right up, start ipykernel, and begin to listen once the gate says so."""
    try:
        os.setsid()  # an interrupt then reaches the processes that it has started, too
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        jail.surrender(request["uid"], dumpable=True)
        jail.limit(request["limits"])
        os.environ.clear()
        os.environ.update(request["env"])
        os.chdir(jail.HOME)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        os.close(nowhere)
        sys.argv = ["ipykernel_launcher"]
        _reseed()
        app = _application(request)
        gate.send(b"?")
        if not gate.recv(1):
            os._exit(1)
        gate.close()
        os.nice(5)
        app.start()
    except BaseException:
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


def _reseed() -> None:
    """Draw new seeds: a fork goes on with its parent's."""
    import random

    import numpy as np
    import torch

    random.seed()
    np.random.seed()
    torch.default_generator.seed()


def _application(request: dict[str, Any]) -> Any:
    """Return ipykernel with its sockets in place, not yet listening."""
    from ipykernel.kernelapp import IPKernelApp
    from traitlets.config import Config

    class Kernel(IPKernelApp):
        """ipykernel that is told about its sockets by its parent, not by a file in the learner's reach."""

        def init_connection_file(self) -> None:
            """Read none."""

        def write_connection_file(self, **kwargs: Any) -> None:
            """Write none."""

        def parse_command_line(self, argv: Any = None) -> None:
            """Have none."""

        def load_config_file(self, *args: Any, **kwargs: Any) -> None:
            """Look for none: the machine's are not a learner's, and out of sight."""

        def init_control(self, context: Any) -> None:
            """Read the shell's messages where they are answered: the thread that would pass them on costs more."""
            super().init_control(context)
            self.shell_channel_thread = None

    connection = dict(request["connection"])
    config = Config()
    config.Session.key = connection.pop("key").encode()
    config.Session.signature_scheme = connection.pop("signature_scheme")
    config.HistoryManager.enabled = False
    # A picture is drawn once: to cut its margins off, it would be drawn twice. They leave room for labels instead.
    config.InlineBackend.print_figure_kwargs = {"bbox_inches": None}
    config.InlineBackend.rc = {f"figure.subplot.{side}": part for side, part in _MARGINS.items()}
    IPKernelApp._instance = None
    app = Kernel.instance(config=config, transport="ipc", ip=jail.SOCKETS + "/s", **connection)
    app.initialize([])
    # The heartbeat's thread makes its socket when it gets to it.
    beat = f"{app.ip}-{app.hb_port}"
    while not os.path.exists(beat):
        time.sleep(0.001)
    # What importing the backend does in a notebook, where it has not been imported before.
    importlib.import_module("matplotlib_inline.backend_inline")._enable_matplotlib_integration()
    return app


def main() -> None:
    """Import everything, then serve the socket whose number is the first argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended kernels are nobody's to wait for here
    for folder in (jail.HOME, jail.TMP):
        os.makedirs(folder, exist_ok=True)
    requests = socket.socket(fileno=int(sys.argv[1]))
    _import_all()
    # Objects that the collector never touches stay in pages that all kernels share.
    gc.collect()
    gc.freeze()
    serve(requests)


if __name__ == "__main__":
    main()
