"""Data that the stages of a run exchange: frozen dataclasses of arrays in SI units."""
