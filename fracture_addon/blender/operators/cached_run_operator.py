"""Base class of operators that bake a stored run."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..process import cached_run
from ..read import same_shape
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator


class CachedRunOperator(ImmediateOperator):
    """Bake a stored run, whole or changed, onto the objects of the same names."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether there may be a run, in object mode, and no run is in progress."""
        nothing = unless(
            context.scene.fracture.cache_path or cached_run.key_of(context.object),
            "Press Shatter, then make the broken object or one of its pieces active",
        )
        return usable(cls, running(), editing(context), nothing)

    def act(self, context: Any) -> None:
        """Read the run, and bake it."""
        key = cached_run.key_of(context.object)
        cached = cached_run.load(context.scene, key)
        objects = [_named(context.scene, body.name) for body in cached.job.bodies]
        same_shape.check(context, cached.job, objects)
        self.bake(context, cached, objects)
        cached_run.mark(objects, key)

    def bake(self, context: Any, cached: cached_run.CachedRun, objects: list[bpy.types.Object]) -> None:
        """Bake the run.

        Args:
            context: Blender context.
            cached: The run.
            objects: Its objects, in the order of the job's bodies.

        Raises:
            FractureError: The values of the operator do not fit the run; the scene is unchanged.
        """
        raise NotImplementedError


def _named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """Return an object of a scene.

    Raises:
        SceneError: The scene has no object of this name.
    """
    obj = scene.objects.get(name)
    if obj is None:
        raise SceneError(
            f"The cached run contains '{name}', which is not in this scene; press Shatter to make a new run"
        )
    return obj
