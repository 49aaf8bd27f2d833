"""How much a learner's notebook may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one notebook's kernel may use, with all that it starts; beyond it, it is refused or ended."""

    memory_mb: int = 1536
    """MiB of memory of all its processes together, without what they share with the warm process and without files."""
    processes: int = 64
    """Processes and threads at a time; ipykernel has about ten threads of its own."""
    scratch_mb: int = 64
    """MiB of files in its scratch folder."""
    file_mb: int = 32
    """MiB of one file."""
    open_files: int = 256
    """Open files, sockets and pipes of one process."""
    cpu_seconds: int = 240
    """Seconds of processor time of one process, all its threads together."""
    wall_seconds: int = 300
    """Seconds from the kernel's start to its end, the whole notebook."""
