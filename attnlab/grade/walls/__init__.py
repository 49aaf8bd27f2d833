"""Kernels that see nothing and may do little: a learner's code runs in them, beside nothing worth a point.

Importing this starts nothing and works on every system; `why_not` says whether walls can be had.
"""

import os
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from attnlab.grade.walls.bubblewrap import hidden as _hidden
from attnlab.grade.walls.bubblewrap import why_not
from attnlab.grade.walls.limits import Limits
from attnlab.grade.walls.warm import end as shut_down
from attnlab.grade.walls.warm import warm as _warm

if TYPE_CHECKING:
    from traitlets.config import Config

__all__ = ["Limits", "settings", "shut_down", "warm_up", "why_not", "without_walls"]

_MANAGER = "attnlab.grade.walls.kernel.GradingKernelManager"


def settings(limits: Limits | None = None, hide: Iterable[str | os.PathLike[str]] = ()) -> "Config":
    """Return what nbgrader's Execute needs to run notebooks behind walls.

    hide: folders that must stay out of sight, beside HOME, the course's folder and the exchange.
    """
    config = _config("attnlab-walled")
    config.WalledKernel.limits = asdict(limits or Limits())
    config.WalledKernel.hide = [os.fspath(folder) for folder in hide]
    return config


def without_walls() -> "Config":
    """Return what nbgrader's Execute needs to run notebooks in a kernel of this Python, in a folder of its own.

    On every system; the learner's code can do whatever the one who grades can; no limit is kept.
    """
    return _config("attnlab-cold")


def _config(kernel: str) -> "Config":
    from traitlets.config import Config

    config = Config()
    config.Execute.kernel_name = kernel
    config.Execute.kernel_manager_class = _MANAGER
    config.Execute.shutdown_kernel = "immediate"
    return config


def warm_up(hide: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Start the warm process now, as the first kernel would; a few seconds, once. Problem where there are no walls."""
    _warm(_hidden(hide))
