"""Waiting for a child."""

import time


def wait(process, look=lambda: None) -> None:
    """Poll a run until it is done, and call ``look`` each time it is not."""
    while not process.poll():
        look()
        time.sleep(0.02)
