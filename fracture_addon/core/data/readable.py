"""Physical values as text for the artist."""

from __future__ import annotations

# Prefixes of the International System of Units that reports use, the largest first.
PREFIXES = (("G", 1e9), ("M", 1e6), ("k", 1e3))


def with_unit(value: float, unit: str) -> str:
    r"""Return a value with three digits, and a prefix before its unit from a thousand on.

    Args:
        value: The value, in the unit.
        unit: Symbol of a unit without a prefix.

    Returns:
        Number and unit, with a space between them at which no line is broken.

    Notes:
        Own, with the prefixes of the International System of Units (BIPM 2019, The SI Brochure, section 3).

    Example:
        >>> with_unit(1490.0, "N"), with_unit(88.2, "N m")
        ('1.49\xa0kN', '88.2\xa0N m')
    """
    for prefix, size in PREFIXES:
        if abs(value) >= size:
            return f"{value / size:.3g}\u00a0{prefix}{unit}"
    return f"{value:.3g}\u00a0{unit}"


def length_text(metres: float) -> str:
    r"""Return a length with three digits: in mm below a metre.

    Args:
        metres: The length, m.

    Returns:
        Number and unit, with a space between them at which no line is broken.

    Notes:
        Own.

    Example:
        >>> length_text(0.0032), length_text(2.0)
        ('3.2\xa0mm', '2\xa0m')
    """
    return with_unit(1e3 * metres, "mm") if metres < 1.0 else with_unit(metres, "m")


def about(value: float) -> str:
    """Return a value with two digits, without an exponent below a million.

    Args:
        value: The value.

    Returns:
        The number, with commas between thousands.

    Notes:
        Own.

    Example:
        >>> about(0.1234), about(1234.0)
        ('0.12', '1,200')
    """
    return f"{float(f'{value:.2g}'):,g}"
