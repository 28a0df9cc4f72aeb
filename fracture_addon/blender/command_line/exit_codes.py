"""Exit codes of the commands, and the one place that turns errors into them."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
from collections.abc import Callable, Iterator

from ...core.data.errors import CancelledError, FractureError, InvalidMeshError, SceneError, SettingsError

DONE, WRONG_USAGE, REFUSED, FAILED, CANCELLED = 0, 2, 3, 4, 130


def exit_code(prog: str, run: Callable[[], int], when_cancelled: str = "nothing was written") -> int:
    """Run a command, print its error as one line, and return its exit code.

    Args:
        prog: Name of the command, for messages.
        run: The command. It returns its own exit code.
        when_cancelled: State of the files after Ctrl-C or SIGTERM, for the message.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a console may lack letters of a name
    cancelled, signals = f"cancelled; {when_cancelled}", list[int]()
    try:
        with _interruptible(signals):
            return run()
    except SystemExit as ending:
        return int(ending.code or DONE)
    except (KeyboardInterrupt, CancelledError):
        return _print_error(prog, cancelled, CANCELLED)
    except SettingsError as error:
        return _print_error(prog, error, WRONG_USAGE)
    except (InvalidMeshError, SceneError) as error:
        return _print_error(prog, error, REFUSED)
    except FractureError as error:
        # Blender catches the interruption of a render, which then seems to fail.
        return _print_error(prog, cancelled, CANCELLED) if signals else _print_error(prog, error, FAILED)


def _print_error(prog: str, reason: object, code: int) -> int:
    sys.stderr.write(f"{prog}: {' '.join(str(reason).split())}\n")
    return code


@contextlib.contextmanager
def _interruptible(signals: list[int]) -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` on Ctrl-C and SIGTERM, in place of Blender's own handler of Ctrl-C, and list them."""

    def interrupt(number: int, _frame: object) -> None:
        signals.append(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            # Blender's handler is not a Python function and cannot be restored, so use the system default.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
