"""Kernels behind the walls, and plain ones, for jupyter_client and all that stands on it (nbclient, nbgrader)."""

import asyncio
import contextlib
import json
import os
import select
import shutil
import signal
import tempfile
import time
from dataclasses import asdict
from importlib.metadata import EntryPoint
from pathlib import Path
from queue import Empty
from typing import Any

import zmq
import zmq.asyncio
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import KernelProvisionerBase, KernelProvisionerFactory, LocalProvisioner
from traitlets import Dict, List, default

from attnlab.grade.walls import bubblewrap
from attnlab.grade.walls.limits import Limits
from attnlab.grade.walls.warm import Warm, warm
from attnlab.problem import Problem

KERNELS = Path(__file__).with_name("kernels")
WALLED, COLD = "attnlab-walled", "attnlab-cold"
_LOST = "the process behind the walls ended, and its kernels with it"


class WalledKernel(KernelProvisionerBase):
    """A kernel forked from the warm process; it knows nothing of the machine and ends beyond its limits."""

    limits = Dict(asdict(Limits()), help="What it may use: the fields of attnlab.grade.walls.Limits.").tag(config=True)
    hide: Any = List(help="Folders that must stay out of its sight, beside HOME and the course's.").tag(config=True)

    ended_because: str | None = None
    """One line in English on why it ended; None while it runs, and where the grading has ended it."""
    ended_by: str | None = None
    """The same in a word."""

    _warm: Warm | None = None
    _folder: Path | None = None
    _uid: int | None = None
    _handle: int | None = None
    _report: int | None = None
    _said = b""
    _ready = False
    _ended = False
    _killed = False

    @property
    def has_process(self) -> bool:
        """Whether there is one, dead or alive, that nobody has waited for."""
        return self._handle is not None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Let the manager reach the kernel over sockets in a folder that only this kernel and it can see."""
        self._place()
        kwargs.pop("extra_arguments", None)
        return await super().pre_launch(cmd=[], **kwargs)

    def _place(self) -> None:
        manager: Any = self.parent
        self._warm = warm(bubblewrap.hidden(self.hide))
        self._folder, self._uid = self._warm.folder_for_kernel()
        manager.transport = "ipc"
        manager.ip = str(self._folder / "s")
        # Beside the sockets' folder, out of the kernel's sight; it goes with the folder, however the grading ends.
        manager.connection_file = str(self._warm.folder / f"{self._folder.name}.json")
        for number, channel in enumerate(("shell", "iopub", "stdin", "hb", "control"), start=1):
            setattr(manager, f"{channel}_port", number)
        self.connection_info = manager.get_connection_info()

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork the kernel and wait until it listens; Problem where it does not get so far."""
        try:
            self._fork()
        except Problem:
            # The warm process may have died this moment; a second failure has another reason.
            self._place()
            self._fork()
        while not self._ready and not self._over():
            await asyncio.sleep(0.002)
            self._listen()
        if not self._ready:
            reason = self.ended_because
            await self.cleanup()
            raise Problem(f"no kernel behind the walls: {reason}")
        return self.connection_info

    def _fork(self) -> None:
        assert self._warm is not None
        assert self._folder is not None
        info: dict[str, Any] = dict(self.connection_info)
        connection = {name: value for name, value in info.items() if name.endswith("_port")}
        connection["key"] = info["key"].decode()
        connection["signature_scheme"] = info["signature_scheme"]
        request = {
            "run": self._folder.name,
            "uid": self._uid,
            "limits": self.limits,
            "env": bubblewrap.environment(),
            "connection": connection,
        }
        self.ended_because, self.ended_by = None, None
        self._said, self._ready, self._ended, self._killed = b"", False, False, False
        self._report, theirs = os.pipe()
        os.set_blocking(self._report, False)
        try:
            self._handle = self._warm.fork(request, theirs)
        except Problem:
            os.close(self._report)
            self._report = None
            self._warm.end()
            raise
        finally:
            os.close(theirs)

    def _listen(self) -> None:
        """Take in what the kernel's first process has written."""
        with contextlib.suppress(BlockingIOError):
            while self._report is not None and (more := os.read(self._report, 1 << 16)):
                self._said += more
        *lines, self._said = self._said.split(b"\n")
        for line in lines:
            news = json.loads(line)
            self._ready = self._ready or "ready" in news
            if "ended" in news and not self._killed:
                self.ended_because, self.ended_by = news["ended"], news.get("by")

    def _over(self) -> bool:
        """Whether it has ended; its reason is known then."""
        if self._handle is None or self._ended:
            return True
        waiting = select.poll()
        waiting.register(self._handle, select.POLLIN)
        if waiting.poll(0):
            self._ended = True
            self._listen()
            if self.ended_because is None and not self._killed:
                self.ended_because = _LOST
        return self._ended

    async def poll(self) -> int | None:
        """Return None while it runs, else 1."""
        return 1 if self._over() else None

    async def wait(self) -> int | None:
        """Wait for its end."""
        while not self._over():
            await asyncio.sleep(0.005)
        for descriptor in (self._handle, self._report):
            if descriptor is not None:
                os.close(descriptor)
        self._handle = self._report = None
        return 0

    async def send_signal(self, signum: int) -> None:
        """End it, whatever the signal: an interrupt comes as a message."""
        if self._handle is None or signum == 0:
            return
        self._killed = self._killed or not self._over()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        # Whoever asks next whether it is alive looks again only after a tenth of a second.
        for _ in range(200):
            if self._over():
                break
            await asyncio.sleep(0.001)

    async def kill(self, restart: bool = False) -> None:
        """End it and all that it has started."""
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        """End it and all that it has started."""
        await self.send_signal(signal.SIGKILL)

    async def cleanup(self, restart: bool = False) -> None:
        """Leave nothing: no process, no descriptor, no folder."""
        await self.kill()
        await self.wait()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


LARGEST_MESSAGE = 48 << 20
"""Bytes; a longer message ends its connection before it is in this process's memory."""


class ColdKernel(LocalProvisioner):
    """A kernel of this Python in a folder of its own, without walls, on any system."""

    _scratch: tempfile.TemporaryDirectory[str] | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Set the folder and the environment of the kernel."""
        # A kernel that is killed may leave files that Windows holds for a moment.
        self._scratch = tempfile.TemporaryDirectory(prefix="attnlab-cold-", ignore_cleanup_errors=True)
        kwargs = await super().pre_launch(**kwargs)
        kwargs["cwd"] = self._scratch.name
        path = [os.path.abspath(one) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
        kwargs["env"] |= {
            "PYTHONPATH": os.pathsep.join(path),
            "OMP_NUM_THREADS": "1",
            "NBGRADER_EXECUTION": "autograde",
        }
        return kwargs

    async def cleanup(self, restart: bool = False) -> None:
        """Remove the folder as well."""
        await super().cleanup(restart)
        if self._scratch is not None and not restart:
            self._scratch.cleanup()
            self._scratch = None


class _OwnKernels(KernelSpecManager):
    """Knows the kernels that come with this package, wherever that is installed, before all others."""

    def _kernel_dirs_default(self) -> list[str]:
        return [str(KERNELS), *super()._kernel_dirs_default()]


class _Client(AsyncKernelClient):
    """A client that takes no message of any size, and starts as soon as the kernel has answered on both channels."""

    def _context_default(self) -> zmq.asyncio.Context:
        context = zmq.asyncio.Context()
        context.setsockopt(zmq.MAXMSGSIZE, LARGEST_MESSAGE)  # of every socket made from it
        return context

    async def _async_wait_for_ready(self, timeout: float | None = None) -> None:
        deadline = time.monotonic() + (timeout or float("inf"))
        while True:
            asked = self.kernel_info()
            with contextlib.suppress(Empty):
                while (await self.get_shell_msg(timeout=1))["parent_header"].get("msg_id") != asked:
                    pass
                while True:
                    said = await self.get_iopub_msg(timeout=0.2)
                    if (
                        said["parent_header"].get("msg_id") == asked
                        and said["content"].get("execution_state") == "idle"
                    ):
                        return
            if not await self._async_is_alive():
                raise RuntimeError("Kernel died before replying to kernel_info")
            if time.monotonic() > deadline:
                raise RuntimeError(f"Kernel didn't respond in {timeout} seconds")

    wait_for_ready = _async_wait_for_ready


class GradingKernelManager(AsyncKernelManager):
    """jupyter_client's manager, which finds the kernels of this package."""

    @default("client_factory")
    def _client_factory_default(self) -> type[AsyncKernelClient]:
        return _Client

    @default("kernel_spec_manager")
    def _own_kernels(self) -> KernelSpecManager:
        return _OwnKernels(data_dir=self.data_dir)

    async def _async_pre_start_kernel(self, **kw: Any) -> tuple[list[str], dict[str, Any]]:
        _register()
        return await super()._async_pre_start_kernel(**kw)

    @property
    def ended_because(self) -> str | None:
        """One line in English on why the kernel ended; None while it runs, and where the grading has ended it."""
        return getattr(self.provisioner, "ended_because", None)

    @property
    def ended_by(self) -> str | None:
        """The same in a word, for those who say it in theirs: "memory", "time", "processes", "signal" or "code"."""
        return getattr(self.provisioner, "ended_by", None)


def _register() -> None:
    """Make the provisioners known where this package is not installed, as a copy that PYTHONPATH names."""
    known = KernelProvisionerFactory.instance().provisioners
    for name, kind in ((WALLED, WalledKernel), (COLD, ColdKernel)):
        known[name] = EntryPoint(name, f"{__name__}:{kind.__name__}", KernelProvisionerFactory.GROUP_NAME)
