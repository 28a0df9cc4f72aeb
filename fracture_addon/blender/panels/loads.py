"""One line about the impacts, loads and colliders that can break an object in the current scene."""

from __future__ import annotations

from typing import Any

from ..properties.placed_fields import PLACE_NAMES
from ..read import settings
from ..read.colliders import colliders
from ..read.placed_loads import is_load
from ..scene.result_lookup import collection_of, pieces_of

# Names in the line; more are counted.
MOST_NAMES = 2


def sentence(context: Any, obj: Any) -> str:
    """Return what can hit an object: its impact, and the loads, colliders and projectiles of the scene."""
    group = obj.fracture
    parts = []
    if group.impact_enabled:
        count = 1 + len(group.more_impacts)
        parts.append(f"impact on frame {group.impact_frame}" if count == 1 else f"{count} impacts")
    placed = [item.fracture for item in context.scene.objects if is_load(item)]
    parts += [f"{PLACE_NAMES[item.place]} on frame {item.place_frame}" for item in placed if item.place != "GRIP"]
    count = sum(item.place == "GRIP" for item in placed)
    if count:
        parts.append("1 grip" if count == 1 else f"{count} grips")
    # The next run replaces the pieces of all selected objects.
    results = filter(None, map(collection_of, settings.chosen(settings.selection(context))))
    replaced = {piece for result in results for piece in pieces_of(result)}
    names = [collider.name for collider in colliders(context, [obj]) if collider not in replaced]
    parts += names[:MOST_NAMES]
    if len(names) > MOST_NAMES:
        parts.append(f"{len(names) - MOST_NAMES} more")
    return f"Hit by: {', '.join(parts)}" if parts else "Nothing hits it yet"
