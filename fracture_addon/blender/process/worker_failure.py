"""Messages for a worker that ended early: the cause, the stage and object, and the remedy."""

from __future__ import annotations

import signal

# Signals of a crash, and the exit codes of a crash on Windows.
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
# Remedies by the first word of a stage; all other stages have the last one.
REMEDIES = {
    "Starting": "restart Blender, or free some memory",
    "Checking": "check the object's size and mesh, or add a Remesh modifier",
    "Repairing": "add a Remesh modifier to the object, or turn Repair off",
    "Filling": "change the seed, lower the detail, or add a Remesh modifier to the object",
    "Cutting": "change the seed, lower the detail, or set Relief to Smooth",
    "Writing": "free some memory and disk space",
    "": "change the seed or lower the detail",
}
# Words in the last message of a library that could not get memory.
MEMORY_WORDS = ("alloc", "memory", "map segment")
KILLED_REMEDY = "lower the detail or close other programs, because memory may have run out"


def reason(code: int, stage: str, last_line: str) -> str:
    """Return the message for a worker that ended with an exit code, or by a signal (negative code).

    Args:
        code: As in ``subprocess``; not zero.
        stage: The stage and object that it reported last: ``Repairing 'Vase'``.
        last_line: The last line of its standard error; may be empty.
    """
    name = _signal_name(code)
    doing = f"while {stage[:1].lower()}{stage[1:]}"
    said = f" Its last message: {last_line}." if last_line else ""
    unchanged = "Nothing in the scene was changed"
    remedy = next(text for start, text in REMEDIES.items() if stage.startswith(start))
    if any(word in last_line.lower() for word in MEMORY_WORDS):
        remedy = KILLED_REMEDY
    if name in CRASHES or code in WINDOWS_CRASHES:
        return f"The worker crashed ({WINDOWS_CRASHES.get(code, name)}) {doing}.{said} {unchanged}; {remedy}"
    if name:
        remedy = KILLED_REMEDY if name == "SIGKILL" else "another program ended it, start the run again"
        return f"The worker was killed ({name}) {doing}.{said} {unchanged}; {remedy}"
    return f"The worker ended with exit code {code} {doing}.{said} {unchanged}; {remedy}"


def silence(seconds: float, stage: str) -> str:
    """Return the message for a worker that was stopped because it did not respond for some seconds."""
    remedy = REMEDIES["Starting"] if stage.startswith("Starting") else KILLED_REMEDY
    return (
        f"The worker did not respond for {seconds:.0f} s while {stage[:1].lower()}{stage[1:]} and was stopped. "
        f"Nothing in the scene was changed; {remedy}"
    )


def _signal_name(code: int) -> str:
    """Return the name of the signal that ended a process; empty without one."""
    if code >= 0:
        return ""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
