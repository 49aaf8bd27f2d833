"""The walls of one forked kernel, put up by the processes that live behind them; plain system calls, Linux only.

bubblewrap has built the walls around the warm process (`attnlab.grade.walls.bubblewrap`); what follows sets each
kernel that it forks apart from it and from every other one: namespaces, a scratch folder, no rights, limits.
The order matters, and is the one in which the functions stand here.
"""

import ctypes
import errno
import functools
import importlib.util
import os
import platform
import re
import struct
from typing import Any

# Places behind the walls, all under one name that no machine has, so that nothing of its own is covered.
COURSE = "/attnlab/course"
"""The few parts of the course that a notebook may import."""
RUNS = "/attnlab/runs"
"""A folder for each kernel's sockets, as the warm process sees them."""
SOCKETS = "/attnlab/sockets"
"""This kernel's own one of these folders, as the kernel sees it."""
SCRATCH = "/attnlab/scratch"
"""The one file system that can be written to, of limited size; this and /dev/shm lie on it."""
HOME = SCRATCH + "/home"
TMP = SCRATCH + "/tmp"

_NEWNS, _NEWIPC, _NEWUTS, _NEWUSER = 0x20000, 0x8000000, 0x4000000, 0x10000000
_NEWPID, _NEWNET, _NEWCGROUP = 0x20000000, 0x40000000, 0x2000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
# Flags of a mount (as statvfs gives them, as mount takes them) that may not be taken off in a user namespace.
_KEPT = ((2, _NOSUID), (4, _NODEV), (8, _NOEXEC), (1024, 1024), (2048, 2048), (4096, 1 << 21))
_OF_OTHERS = 2000  # processes and threads of a desktop
_SET_PDEATHSIG, _SET_DUMPABLE, _SET_SECCOMP, _CAPBSET_DROP, _SET_NO_NEW_PRIVS, _CAP_AMBIENT = 1, 4, 22, 24, 38, 47


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(function: str, *arguments: Any) -> None:
    """Call a function of libc that returns 0 where it succeeds; OSError otherwise."""
    whole = [
        ctypes.c_ulong(one) if isinstance(one, int) else one.encode() if isinstance(one, str) else one
        for one in arguments
    ]
    if getattr(_libc(), function)(*whole) != 0:
        code = ctypes.get_errno()
        said = " ".join(str(one) for one in arguments if isinstance(one, str))
        raise OSError(code, f"{function} {said}: {os.strerror(code)}")


def _prctl(option: int, *arguments: Any) -> None:
    _call("prctl", option, *arguments, *[0] * (4 - len(arguments)))


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    _call("mount", source, target, kind, flags, data)


def new_pid_namespace() -> None:
    """Let the next fork be the first process of a pid namespace of its own."""
    _call("unshare", _NEWPID)


def own_pid_namespace(namespace: int) -> None:
    """Undo `new_pid_namespace` for the forks to come; `namespace` is a descriptor of /proc/self/ns/pid."""
    _call("setns", namespace, _NEWPID)


def die_with_parent() -> None:
    """End when the process that has forked this one ends; any change of rights undoes it."""
    _prctl(_SET_PDEATHSIG, 9)


def namespaces() -> None:
    """Leave the warm process's mounts, network, shared memory and host name; the new network has nothing up in it."""
    _call("unshare", _NEWNS | _NEWNET | _NEWIPC | _NEWUTS)
    _call("sethostname", "attnlab", len("attnlab"))


def files(run: str, scratch_mb: int) -> None:
    """Mount this kernel's own sockets (the folder `run` of RUNS), scratch folder and /proc over the warm process's."""
    _mount("none", "/", None, _REC | _PRIVATE)
    _mount(f"{RUNS}/{run}", SOCKETS, None, _BIND)
    _mount("tmpfs", RUNS, "tmpfs", _NOSUID | _NODEV | _NOEXEC | _RDONLY, "size=4k,mode=0555")
    _mount("tmpfs", SCRATCH, "tmpfs", _NOSUID | _NODEV, f"size={scratch_mb}m,nr_inodes=4096,mode=0755")
    for folder in (HOME, TMP, SCRATCH + "/shm"):
        os.mkdir(folder)
        os.chmod(folder, 0o777)  # whichever user the kernel becomes
    _mount(SCRATCH + "/shm", "/dev/shm", None, _BIND)
    _mount("proc", "/proc", "proc", _NOSUID | _NODEV | _NOEXEC | _RDONLY)


def seal() -> None:
    """Make the folder of the sockets read-only, once these are there: it lies on the machine's disk."""
    flags = _RDONLY | _NOSUID | _NODEV
    at_present = os.statvfs(SOCKETS).f_flag
    for seen, wanted in _KEPT:
        if at_present & seen:
            flags |= wanted
    _mount(None, SOCKETS, None, _REMOUNT | _BIND | flags)


def surrender(uid: int | None, *, dumpable: bool) -> None:
    """Give every right up for good, and become the user `uid` where one is given.

    A process that is not `dumpable` cannot be looked into by others of the same user.
    """
    _prctl(_CAP_AMBIENT, 4)
    for capability in range(64):
        try:
            _prctl(_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno != errno.EINVAL:  # beyond the last one
                raise
            break
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    _call("capset", struct.pack("II", 0x20080522, 0), bytes(24))
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _prctl(_SET_DUMPABLE, int(dumpable))
    die_with_parent()
    _filter_system_calls()


def limit(limits: dict[str, int]) -> None:
    """Set the limits that the kernel of the system keeps by itself, for each process; see `grade.walls.Limits`."""
    import resource  # here, as Windows has none

    now = _sizes("VmData", "VmSize")
    memory = limits["memory_mb"] << 20
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_NPROC, limits["processes"] + (0 if _counts_by_namespace() else _OF_OTHERS)),
        (resource.RLIMIT_FSIZE, limits["file_mb"] << 20),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        # What the warm process has loaded is nobody's use of memory. A little less than what the watch ends a kernel
        # for: a learner who is refused memory is told in which line.
        (resource.RLIMIT_DATA, now["VmData"] + memory - memory // 16),
        (resource.RLIMIT_AS, now["VmSize"] + 2 * memory),
    ):
        resource.setrlimit(what, (most, most))
    # A second between the two: ended by SIGXCPU, not by SIGKILL, says why.
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_seconds"], limits["cpu_seconds"] + 1))


def _counts_by_namespace() -> bool:
    """Whether this Linux counts a user's processes by namespace, not with all that run on his desktop (5.14)."""
    return tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2]) >= (5, 14)


def _sizes(*names: str, process: str = "self", file: str = "status") -> dict[str, int]:
    """Return these lines of a file in /proc, in bytes."""
    found = dict.fromkeys(names, 0)
    with open(f"/proc/{process}/{file}", encoding="ascii", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name in found:
                found[name] = int(value.split()[0]) << 10
    return found


def others() -> list[str]:
    """Return the numbers of the processes here, without the caller."""
    return [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def memory_of(processes: list[str], limit: int) -> int:
    """Return how many bytes these processes hold beside files; exactly only where it may be more than `limit`.

    Pages shared among them count once, those shared with the warm process in part.
    """
    total = sum(map(_most_memory_of, processes))
    if total <= limit:
        return total
    total = 0
    for process in processes:
        try:
            total += sum(_sizes("Pss_Anon", "Pss_Shmem", "SwapPss", process=process, file="smaps_rollup").values())
        except ProcessLookupError:
            continue
        except OSError:  # one that hides its memory, or no such file: the upper bound then
            total += _most_memory_of(process)
    return total


def _most_memory_of(process: str) -> int:
    """Return how many bytes a process holds beside files, those shared with others in full; 0 once it is gone."""
    try:
        return sum(_sizes("RssAnon", "RssShmem", "VmSwap", process=process).values())
    except OSError:
        return 0


# System calls that computing with tensors never needs and that have been ways out of walls, or ways round the limit
# of memory (what no process has mapped is in no process's memory); numbers for x86-64 and for 64-bit ARM.
_DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "fanotify_init": (300, 262),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "vhangup": (153, 58),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "clock_adjtime": (305, 266),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
}
# The processor as seccomp names it, its column above, its numbers of clone, clone3, mmap and socket.
_PROCESSORS = {
    "x86_64": (0xC000003E, 0, 56, 435, 9, 41),
    "aarch64": (0xC00000B7, 1, 220, 435, 222, 198),
}
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK (zmq asks it for interfaces): the namespace holds these, not AF_VSOCK.
_SOCKETS_OF_OUR_OWN = (1, 2, 10, 16)


def _filter_system_calls() -> None:
    """Deny the system calls above, new namespaces and sockets that no namespace holds, to this process and its own."""
    if platform.machine() not in _PROCESSORS:
        return  # the other walls stand without it
    audit, column, clone, clone3, mmap, socket = _PROCESSORS[platform.machine()]
    load, equal, at_least, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill, deny = 0x7FFF0000, 0x80000000, 0x00050000
    number, architecture, argument = 0, 4, 16
    program: list[tuple[int, int, int, int]] = [
        (load, 0, 0, architecture),
        (equal, 1, 0, audit),
        (give, 0, 0, kill),  # the 32-bit door
        (load, 0, 0, number),
        (at_least, 0, 1, 0x40000000),  # x86-64's second set of numbers for the same calls
        (give, 0, 0, deny | errno.ENOSYS),
        # Its flags are in memory, out of a filter's reach; libc then takes clone.
        (equal, 0, 1, clone3),
        (give, 0, 0, deny | errno.ENOSYS),
    ]
    for numbers in _DENIED.values():
        program += [(equal, 0, 1, numbers[column]), (give, 0, 0, deny | errno.EPERM)]
    namespaces_all = _NEWNS | _NEWCGROUP | _NEWUTS | _NEWIPC | _NEWUSER | _NEWPID | _NEWNET
    program += [
        (equal, 0, 4, clone),
        (load, 0, 0, argument),
        (any_bit, 0, 1, namespaces_all),
        (give, 0, 0, deny | errno.EPERM),
        (give, 0, 0, allow),
        # Memory shared without a file can be filled, left unmapped and still be there: not counted anywhere.
        (equal, 0, 5, mmap),
        (load, 0, 0, argument + 3 * 8),
        (0x54, 0, 0, 0x21),  # and
        (equal, 0, 1, 0x21),
        (give, 0, 0, deny | errno.EPERM),
        (give, 0, 0, allow),
        (equal, 0, 2 + len(_SOCKETS_OF_OUR_OWN), socket),
        (load, 0, 0, argument),
        *((equal, len(_SOCKETS_OF_OUR_OWN) - at, 0, one) for at, one in enumerate(_SOCKETS_OF_OUR_OWN)),
        (give, 0, 0, deny | errno.EAFNOSUPPORT),
        (give, 0, 0, allow),
    ]
    code = b"".join(struct.pack("HBBI", *one) for one in program)
    held = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(held)))
    _prctl(_SET_SECCOMP, 2, ctypes.c_void_p(ctypes.addressof(header)))


def probe(uid: int | None) -> None:
    """Put all walls up around a child once, without a kernel; OSError where the system forbids one of them."""
    new_pid_namespace()
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status:
            raise OSError(status, f"a kernel's own walls: {os.strerror(status)}")
        return
    try:
        namespaces()
        files(os.listdir(RUNS)[0], 1)
        seal()
        surrender(uid, dumpable=True)
        # A Python of root's that others cannot read would break the kernel later, one import at a time.
        torch = importlib.util.find_spec("torch")
        for file in (os.__file__, __file__, torch.origin if torch else None):
            if file:
                open(file, "rb").close()
        open(HOME + "/written", "wb").close()
    except OSError as error:
        os.write(2, f"{error.strerror}: {error.filename or ''}\n".encode())
        os._exit(error.errno or 1)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(1)
    os._exit(0)
