"""The pieces in the rigid world (``core.world``), and from its contacts to blows."""
