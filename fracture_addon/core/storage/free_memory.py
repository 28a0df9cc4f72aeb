"""Memory that this process can still allocate, limited by the computer, its container and ``ulimit``."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]


def free_memory() -> float | None:
    """Return the bytes that this process can still allocate: the lowest of all limits; ``None`` if all are unknown."""
    found = [*_process_limits(), *_container_limits()]
    computer = _of_computer()
    return min(found if computer is None else [*found, computer], default=None)


def _process_limits() -> list[float]:
    """Return the bytes left below ``ulimit -v`` and ``ulimit -d``. Only Linux reports the used bytes."""
    if resource is None or sys.platform != "linux":
        return []
    try:
        pages = [int(word) for word in Path("/proc/self/statm").read_text().split()]
    except OSError:  # a system without /proc
        return []
    size = os.sysconf("SC_PAGE_SIZE")
    limits = ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5]))
    softs = [(resource.getrlimit(kind)[0], used * size) for kind, used in limits]
    return [float(soft - used) for soft, used in softs if soft != resource.RLIM_INFINITY]


def _container_limits() -> list[float]:
    """Return the bytes left in the control groups of a container or a service."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    groups = [line.split(":", 2)[1:] for line in lines]
    # Inside a container, the folder of the group is the root of the file system of control groups.
    folders = [
        folder
        for controllers, name in groups
        if controllers in ("", "memory")
        for folder in (Path(f"/sys/fs/cgroup/{controllers}{name}"), Path("/sys/fs/cgroup", controllers))
    ]
    return [left for folder in folders if (left := left_in_group(folder)) is not None]


def left_in_group(folder: Path) -> float | None:
    """Return the bytes left in a control group, with the file cache that it can drop; ``None`` without a limit."""
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        with suppress(OSError, ValueError):  # no such file, or "max"
            left = int((folder / limit).read_text()) - int((folder / used).read_text())
            lines = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
            return float(left + {name: int(value) for name, value in lines}.get("inactive_file", 0))
    return None


def _of_computer() -> float | None:
    """Return the bytes of free memory and swap; on macOS all memory."""
    if sys.platform == "linux":
        with suppress(OSError, KeyError):
            lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
            sizes = {words[0]: int(words[1]) for words in lines}
            return 1024.0 * (sizes["MemAvailable:"] + sizes["SwapFree:"])
        return None
    if sys.platform == "win32":
        # MEMORYSTATUSEX: length and load, then bytes of all and free memory, of all and free paging file, and so on.
        status = (ctypes.c_uint64 * 8)(64)
        kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]
        return float(status[4]) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None
    with suppress(ValueError, OSError):
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return None
