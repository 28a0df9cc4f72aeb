"""Why a worker ended before its run was done, in one line: how, at which stage and object, and the remedy."""

from __future__ import annotations

import signal

# Signals with which a library crashes, and Windows' exit codes of the same.
CRASHES = ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL")
WINDOWS_CRASHES = {
    0xC0000005: "access violation",
    0xC0000017: "out of memory",
    0xC000001D: "illegal instruction",
    0xC0000094: "division by zero",
    0xC00000FD: "stack overflow",
    0xC0000374: "heap corruption",
    0xC0000409: "abort",
}
# By what the name of a stage begins with; any other stage has the last remedy.
REMEDIES = {
    "Starting": "restart Blender, or free some memory",
    "Checking": "check the object's size and mesh, or put a Remesh modifier on it",
    "Repairing": "put a Remesh modifier on the object, or turn Repair off",
    "Filling": "change the seed, lower the detail, or put a Remesh modifier on the object",
    "Cutting": "change the seed, lower the detail, or set Relief to Smooth",
    "Writing": "free some memory and disk space",
    "": "change the seed or lower the detail",
}
# What the last message of a library has that could not get memory.
MEMORY_WORDS = ("alloc", "memory", "map segment")
KILLED_REMEDY = "lower the detail or close other programs, in case memory ran out"


def reason(code: int, stage: str, last_line: str) -> str:
    """The message for a worker that ended with an exit code, or below zero by a signal.

    Args:
        code: As of ``subprocess``: not zero.
        stage: The stage and object that it reported last: ``Repairing 'Vase'``.
        last_line: The last line of its standard error, may be empty.
    """
    name = _signal_name(code)
    doing = f"while {stage[:1].lower()}{stage[1:]}"
    said = f" Its last message: {last_line}." if last_line else ""
    kept = "Nothing in the scene was changed"
    remedy = next(text for start, text in REMEDIES.items() if stage.startswith(start))
    if any(word in last_line.lower() for word in MEMORY_WORDS):
        remedy = KILLED_REMEDY
    if name in CRASHES or code in WINDOWS_CRASHES:
        return f"The worker crashed ({WINDOWS_CRASHES.get(code, name)}) {doing}.{said} {kept}; {remedy}"
    if name:
        remedy = KILLED_REMEDY if name == "SIGKILL" else "another program ended it, start the run again"
        return f"The worker was killed ({name}) {doing}.{said} {kept}; {remedy}"
    return f"The worker ended with exit code {code} {doing}.{said} {kept}; {remedy}"


def silence(seconds: float, stage: str) -> str:
    """The message for a worker that was ended because it gave no sign of life for so many seconds."""
    return (
        f"The worker gave no sign of life for {seconds:.0f} s while {stage[:1].lower()}{stage[1:]} and was ended. "
        f"Nothing in the scene was changed; {KILLED_REMEDY}"
    )


def _signal_name(code: int) -> str:
    """Name of the signal that ended a process; empty if none did."""
    if code >= 0:
        return ""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
