"""The rigid world (Rapier): bodies, colliders, contacts and the impacts that they cause."""
