"""From a recording to the scene."""
