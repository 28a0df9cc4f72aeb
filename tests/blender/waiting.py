"""Waiting for a child."""

import time


def wait(process) -> None:
    """Poll a run until it is done."""
    while not process.poll():
        time.sleep(0.02)
