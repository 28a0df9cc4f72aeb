"""Processor time of another process. It grows even while a library call holds Python's lock."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

# Linux: fields of /proc/PID/stat after the name in brackets: clock ticks in user mode and in kernel mode.
USER_TICKS, KERNEL_TICKS = 11, 12
# macOS: flavour of ``proc_pid_rusage``, and 8-byte words in its answer; user and system time follow a 16-byte id.
RUSAGE_INFO_V0, RUSAGE_WORDS = 0, 32
# Windows: access right to read the times of a process.
PROCESS_QUERY_LIMITED_INFORMATION = 0x1000


def processor_time(pid: int) -> int | None:
    """Return the processor time of all threads of a process, in the system's unit; ``None`` if it is not available.

    Args:
        pid: Process id.
    """
    if sys.platform == "linux":
        return _on_linux(pid)
    if sys.platform == "darwin":
        return _on_macos(pid)
    if sys.platform == "win32":
        return _on_windows(pid)
    return None


def _on_linux(pid: int) -> int | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="latin-1")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return int(fields[USER_TICKS]) + int(fields[KERNEL_TICKS])


def _on_macos(pid: int) -> int | None:
    answer = (ctypes.c_uint64 * RUSAGE_WORDS)()
    if ctypes.CDLL(None).proc_pid_rusage(pid, RUSAGE_INFO_V0, ctypes.byref(answer)) != 0:
        return None
    return answer[2] + answer[3]


def _on_windows(pid: int) -> int | None:
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, pid)
    if not handle:
        return None
    created, ended, in_kernel, in_user = (ctypes.c_uint64() for _ in range(4))
    times = (ctypes.byref(item) for item in (created, ended, in_kernel, in_user))
    found = kernel.GetProcessTimes(ctypes.c_void_p(handle), *times)
    kernel.CloseHandle(ctypes.c_void_p(handle))
    return in_kernel.value + in_user.value if found else None
