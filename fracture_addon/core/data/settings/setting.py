"""A row of the table of settings, and the base class of its groups."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any

from ..errors import SettingsError

ROW = "setting"


@dataclass(frozen=True)
class Choice:
    """A value of an enumeration: lower-case identifier, name in the panel, tooltip."""

    value: str
    name: str
    description: str


@dataclass(frozen=True)
class Setting:
    """Row of the table: texts of a setting for the panel, the command line and the guide, and limits of its value.

    Attributes:
        name: Name in the panel, without the unit.
        description: Tooltip: effect, unit, and when to change the setting.
        low, high: Limits of a number, inclusive; infinite for none.
        soft_low, soft_high: Limits of the slider in the panel; ``None`` for ``low`` and ``high``.
        panel_low: Lower limit in the panel and on the command line, if it is above ``low``.
        unit: ``m`` for a length, ``fraction`` for a part of a whole, else any unit; empty for a plain number.
        scaled: Name of the unit in which a second property shows the value, and its size: ``("MPa", 1e6)``.
        scaled_description, scaled_soft_high: Tooltip and end of the slider of the second property.
        choices: Values of an enumeration.
        property: Name in the panel and on the command line, if it is not the name of the field.
        clamped: Blender clamps values to the limits. Off where an invalid value of a preset must be refused instead.
        precision, step: Digits and step of the slider, as in Blender.
    """

    name: str
    description: str
    low: float = -math.inf
    high: float = math.inf
    soft_low: float | None = None
    soft_high: float | None = None
    panel_low: float | None = None
    unit: str = ""
    scaled: tuple[str, float] | None = None
    scaled_description: str = ""
    scaled_soft_high: float | None = None
    choices: tuple[Choice, ...] = ()
    property: str = ""
    clamped: bool = True
    precision: int | None = None
    step: int | None = None

    def scaled_property(self, field_name: str) -> str:
        """Return the name of the second property: ``tempering_mpa`` for MPa."""
        return f"{self.property or field_name}_{self.scaled[0].split()[0].lower()}" if self.scaled is not None else ""

    def check(self, field_name: str, value: Any, default: Any) -> None:
        """Refuse a value that has another type, is outside the limits, or is none of the choices.

        Raises:
            SettingsError: The message has the name of the setting, the value and the allowed values.
        """
        if self.choices:
            known = [choice.value for choice in self.choices]
            if value not in known:
                self._refuse(field_name, f"'{value}'", f"choose {', '.join(known[:-1])} or {known[-1]}")
        elif isinstance(default, bool):
            if not isinstance(value, bool):
                self._refuse(field_name, repr(value), "set it to True or False")
        elif isinstance(value, bool) or not isinstance(value, Integral if isinstance(default, int) else Real):
            self._refuse(field_name, repr(value), f"set it to a {'whole ' if isinstance(default, int) else ''}number")
        elif not self.low <= value <= self.high or not math.isfinite(value):  # type: ignore[operator] # of Real
            self._refuse(field_name, f"{value:g}", f"set it {self._limits()}")

    def _limits(self) -> str:
        unit = f" {self.unit}" if self.unit not in ("", "fraction") else ""
        ends = (self.low, self.high)
        if all(map(math.isfinite, ends)):
            return f"between {self.low:g} and {self.high:g}{unit}"
        if math.isfinite(self.low):
            return f"to {self.low:g}{unit} or more"
        return f"to {self.high:g}{unit} or less" if math.isfinite(self.high) else "to a finite number"

    def _refuse(self, field_name: str, value: str, remedy: str) -> None:
        raise SettingsError(f"{self.name} ({self.property or field_name}) is {value}; {remedy}")


def setting(default: Any, name: str, description: str, *, soft: tuple[Any, Any] = (None, None), **row: Any) -> Any:
    """Return a dataclass field that is a row of the table.

    Args:
        default: Its type is that of the setting: whole number, number, flag or, with ``choices``, a name.
        name: As in ``Setting``.
        description: As in ``Setting``.
        soft: Limits of the slider.
        row: Other fields of ``Setting``; each of ``choices`` as value, name and description.
    """
    row["choices"] = tuple(Choice(*choice) for choice in row.get("choices", ()))
    low, high = soft
    return field(default=default, metadata={ROW: Setting(name, description, soft_low=low, soft_high=high, **row)})


def table(group: type) -> dict[str, tuple[Setting, Any]]:
    """Return the rows of a group by the name of their field, each with its default.

    Fields without a row are placed, painted or drawn as curves; the scene has them, not the panel.
    """
    return {item.name: (item.metadata[ROW], item.default) for item in fields(group) if ROW in item.metadata}


@dataclass(frozen=True)
class Group:
    """Base of a group of settings. Its constructor refuses invalid values."""

    def __post_init__(self) -> None:
        for name, (row, default) in table(type(self)).items():
            row.check(name, getattr(self, name), default)
