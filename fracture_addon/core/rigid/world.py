"""The rigid world: Rapier, with an interface in SI units and numpy arrays.

Rapier computes in single precision, with tolerances for objects of about one unit. The world therefore converts lengths
and masses to ``Units`` of the size of the objects that break.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import rapier3d as rapier

from ..data.job import Collider
from ..data.surface import Surface
from . import engine
from .collider_shape import collider_shape
from .contact_reports import Contact, ContactReports
from .first_contact import FirstContacts
from .free_flight import FreeFlight
from .look_ahead import LOOK_AHEAD, LookAhead
from .rest import Rest
from .rigid_properties import RigidProperties, collider_properties
from .units import Units, vector

# Prediction distance of fragments over their size. Within it, each ball of one fragment is in contact with each ball of
# another: without a limit, a step at 100 m/s took 16 s, with 4 million contacts (measured).
FRAGMENT_LOOK = 0.1


class World:
    """Rigid bodies under gravity. A key names each body; positions, velocities and impulses are in SI units.

    Attributes:
        gravity: (3,) m/s2.
        contacts: The contacts of its bodies.
        seconds: s, duration of the last step.
        changes: Number of steps and of other changes so far. While it stays the same, no body moves.
    """

    def __init__(self, gravity: np.ndarray, length: float, mass: float, *, notes_light_contacts: bool = False):
        """Make an empty world.

        Args:
            gravity: (3,) m/s2.
            length: m, typical size of the objects.
            mass: kg, their typical mass.
            notes_light_contacts: Whether ``step`` notes ``contacts.light``, which takes time (``Job.log_events``).
        """
        self._units = Units(length, mass)
        self.gravity = np.asarray(gravity, float)
        self.seconds = 1.0
        self.changes = 0
        # ``changes`` after the last step, if all bodies slept before and after it.
        self._changes_at_rest = -1
        self._world = engine.empty_world(self._units, self.gravity)
        self._rest = Rest(self._world, self._units.scaled(self.gravity))
        self._look_ahead = LookAhead(self._world)
        self._first_contacts = FirstContacts()
        self._bodies: dict[int, rapier.RigidBody] = {}
        self.contacts = ContactReports(self._world, self._bodies, self._units, self.gravity, notes_light_contacts)
        self._handles: dict[int, rapier.RigidBodyHandle] = {}
        self._reach: dict[int, float] = {}
        self._next_key = 0
        # Triangles have no inside: without prediction, small balls pass through them.
        self._has_meshes = False

    def add_balls(
        self,
        properties: RigidProperties,
        centers: np.ndarray,
        radii: np.ndarray,
        pose: np.ndarray,
        velocity: np.ndarray,
        angular_velocity: np.ndarray,
        *,
        friction: float,
        restitution: float,
        kinematic: bool = False,
        far_sighted: bool = False,
        reported: bool = True,
        group: engine.CollisionGroup = engine.TOUCHES_EVERYTHING,
        surface: Surface | None = None,
        hull: np.ndarray | None = None,
    ) -> int:
        """Add a body made of balls.

        Args:
            properties: Mass properties of the body.
            centers: (B, 3) m, centres of the balls, rest space.
            radii: (B,) m, radii of the balls.
            pose: (7,) pose of the centre of mass.
            velocity: (3,) m/s, velocity of the centre of mass.
            angular_velocity: (3,) rad/s.
            friction: Coulomb coefficient of the surface.
            restitution: Coefficient of restitution of the surface, 0 to 1.
            kinematic: Whether the body is driven by its keyframes.
            far_sighted: Whether it stops at other moving bodies at any speed (slower to compute).
            reported: Whether ``step`` returns its contacts.
            group: Its collision group.
            surface: Closed surface around the balls, rest space. Between two bodies with a surface, the balls of one
                touch the surface of the other. The group then has no effect.
            hull: (P, 3) m, points of a convex body, rest space. Two bodies with a hull touch with their hulls, not with
                their balls, in the default group.
        """
        length = self._units.length
        middles, sizes = (np.asarray(centers) - properties.center) / length, np.asarray(radii) / length
        shape = rapier.Collider.new(engine.balls(middles, sizes)).density(0.0)
        shape = shape.friction(friction).restitution(restitution)
        shapes, groups = [shape], [group.interaction_groups() if surface is None else engine.fine_ball_groups()]
        if hull is not None:
            outer = engine.hull((hull - properties.center) / length)
            shapes.append(outer.friction(friction).restitution(restitution))
            groups = engine.hull_groups(group)
        shapes = [shape.collision_groups(own) for shape, own in zip(shapes, groups, strict=True)]
        shapes = [self.contacts.sent_by(shape, properties.mass, reported=reported) for shape in shapes]
        if kinematic:
            shapes = [shape.active_collision_types(rapier.ActiveCollisionTypes.all()) for shape in shapes]
        if surface is not None:
            faces = engine.triangles((surface.points - properties.center) / length, surface.faces)
            shapes.append(faces.friction(friction).restitution(restitution))
        builder = rapier.RigidBody.kinematic_position_based() if kinematic else rapier.RigidBody.dynamic()
        builder = self._with_state(builder, pose, velocity, angular_velocity)
        reach = float((np.linalg.norm(np.asarray(centers) - properties.center, axis=1) + radii).max())
        if far_sighted or self._has_meshes:
            builder = builder.soft_ccd_prediction(LOOK_AHEAD if far_sighted else FRAGMENT_LOOK * reach / length)
        builder = builder.additional_mass_properties(self._units.mass_properties(properties))
        key = self._add(builder, shapes, properties)
        self.contacts.watch_balls(key, np.asarray(centers) - properties.center, properties.mass, reported=reported)
        self._reach[key] = reach
        self._rest.watch(key, self._bodies[key], properties.gyration / length)
        self._look_ahead.watch(key, 2.0 * float(sizes.max()), whole=far_sighted)
        self._first_contacts.watch(key, middles, sizes, whole=far_sighted)
        return key

    def add_collider(self, collider: Collider, above: np.ndarray) -> tuple[int, RigidProperties]:
        """Add an unbreakable object at its position in rest space.

        Args:
            collider: Kinematic if it has a track, else dynamic if it has a mass, else fixed.
            above: (3,) m, a point on the side from which bodies touch a sheet.

        Returns:
            Its key, and its mass properties (infinite mass if nothing moves it).
        """
        free = collider.mass > 0.0 and collider.track is None
        properties, length = collider_properties(collider), self._units.length
        shape = collider_shape(collider, properties.center, 1.0 / length, 2.0 * length, above)
        shape = shape.density(0.0).friction(collider.friction).restitution(collider.restitution)
        shape = shape.collision_groups(engine.collider_groups())
        if collider.track is not None:
            builder = rapier.RigidBody.kinematic_position_based()
        else:
            builder = rapier.RigidBody.dynamic() if free else rapier.RigidBody.fixed()
        if collider.mass > 0.0:
            builder = builder.additional_mass_properties(self._units.mass_properties(properties))
        pose = np.concatenate([properties.center, [1.0, 0.0, 0.0, 0.0]])
        builder = self._with_state(builder, pose, collider.velocity, collider.angular_velocity)
        if free or collider.track is not None:
            builder = builder.soft_ccd_prediction(LOOK_AHEAD)
        key = self._add(builder, [shape], properties)
        self._has_meshes |= self._world.colliders[self._bodies[key].colliders[0]].shape.as_trimesh() is not None
        return key, properties

    def remove(self, key: int) -> None:
        """Remove a body."""
        self.changes += 1
        self._world.remove_body(self._handles.pop(key))
        del self._bodies[key]
        self._reach.pop(key, None)
        self.contacts.forget(key)
        self._rest.forget(key)
        self._look_ahead.forget(key)
        self._first_contacts.forget(key)

    def pose(self, key: int) -> np.ndarray:
        """Return the pose (7,) of a body's centre of mass; of its reference point if it is fixed or kinematic."""
        return self._units.pose(self._bodies[key])

    def reach(self, key: int) -> float:
        """Return the largest distance (m) of a body's balls from its centre of mass; infinite without balls."""
        return self._reach.get(key, np.inf)

    def velocities(self, key: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the velocity of the centre of mass (3,) m/s and the angular velocity (3,) rad/s of a body."""
        body = self._bodies[key]
        return self._units.metres(body.linvel), np.array(body.angvel.to_tuple())

    def damping(self, key: int) -> float:
        """Return the rate at which ``calm`` slows a body down, 1/s."""
        return self._bodies[key].linear_damping

    def is_awake(self, key: int) -> bool:
        """Return whether a body does not sleep."""
        return not self._bodies[key].is_sleeping

    def free_flight(self, keys: Iterable[int], seconds: float) -> FreeFlight:
        """Return the velocities of bodies after ``seconds`` s without contacts."""
        return FreeFlight({key: self._bodies[key] for key in keys}, self._units, self.gravity * seconds)

    def set_velocities(self, key: int, velocity: np.ndarray, angular_velocity: np.ndarray) -> None:
        """Set the motion of a dynamic body, and wake it up."""
        self.changes += 1
        body = self._bodies[key]
        # The binding takes tuples, which its types do not say.
        body.linvel = self._units.scaled(velocity)  # type: ignore[assignment]
        body.angvel = vector(angular_velocity)  # type: ignore[assignment]
        body.wake_up()

    def move_to(self, key: int, pose: np.ndarray) -> None:
        """Set the pose of a kinematic body at the end of the next step."""
        self.changes += 1
        self._bodies[key].set_next_kinematic_position(self._units.isometry(pose))

    def release(self, key: int, properties: RigidProperties) -> None:
        """Make a kinematic body dynamic; it keeps its last velocity."""
        body = self._bodies[key]
        velocity, turn = self.velocities(key)
        body.body_type = rapier.RigidBodyType.DYNAMIC
        self._let_sleep(body, properties)
        self.set_velocities(key, velocity, turn)

    def hold(self, key: int, mass: float, *, reported: bool) -> None:
        """Stop a dynamic body of balls and make it kinematic.

        Args:
            key: Its key.
            mass: Its mass, kg.
            reported: Whether ``step`` returns its contacts from now on, if it did not before.
        """
        body = self._bodies[key]
        self.set_velocities(key, np.zeros(3), np.zeros(3))
        body.body_type = rapier.RigidBodyType.KINEMATIC_POSITION_BASED
        body.set_next_kinematic_position(body.position)
        for shape in self.contacts.senders(key):
            self._world.colliders[shape].active_collision_types = rapier.ActiveCollisionTypes.all()
        if reported:
            self.contacts.report(key, mass)

    def regroup(self, key: int, group: engine.CollisionGroup) -> None:
        """Set the collision group of a body of balls without a surface."""
        self.changes += 1
        shapes = [self._world.colliders[handle] for handle in self._bodies[key].colliders]
        groups = [group.interaction_groups()] if len(shapes) == 1 else engine.hull_groups(group)
        for shape, shape_groups in zip(shapes, groups, strict=True):
            shape.collision_groups = shape_groups

    def push(self, key: int, impulse: np.ndarray, point: np.ndarray) -> None:
        """Apply an impulse (3,) N s at a point (3,) m of the world; no effect if the body is removed or not dynamic."""
        if not self.is_free(key):
            return
        self.changes += 1
        scaled = vector(np.asarray(impulse) / self._units.impulse)
        self._bodies[key].apply_impulse_at_point(scaled, self._units.scaled(point))

    def turn(self, key: int, angular_impulse: np.ndarray) -> None:
        """Apply an angular impulse (3,) N m s; no effect if the body is removed or not dynamic."""
        if self.is_free(key):
            self.changes += 1
            scaled = vector(np.asarray(angular_impulse) / (self._units.impulse * self._units.length))
            self._bodies[key].apply_torque_impulse(scaled)

    def is_free(self, key: int) -> bool:
        """Return whether a body exists and is dynamic."""
        return key in self._bodies and self._bodies[key].is_dynamic

    def awake_count(self) -> int:
        """Return the number of dynamic bodies that move."""
        return len(self._world.active_bodies())

    def is_at_rest(self) -> bool:
        """Return whether a step would change nothing: all bodies slept in the last one, and nothing was changed since.

        Bodies that follow a track need a step even so.
        """
        return self.changes == self._changes_at_rest

    def calm(self, seconds: float) -> None:
        """Damp the slow motion of bodies of balls that touch something and that gravity does not drive.

        Args:
            seconds: Time since the last call, s. Call it once a frame.
        """
        self._rest.calm(seconds)

    def step(self, seconds: float) -> list[Contact]:
        """Advance by one step; return its contacts as ``ContactReports.of_step`` does.

        Raises:
            FractureError: Rapier failed, or a body has values that are not finite.
        """
        slept = not self.awake_count()
        self._look_ahead.adapt(self._bodies, seconds)
        self._first_contacts.approach(self._bodies, seconds)
        engine.step(self._world, seconds)
        self.seconds, self.changes = seconds, self.changes + 1
        if slept and not self.awake_count():
            self._changes_at_rest = self.changes
        return self.contacts.of_step(seconds)

    def _add(
        self, builder: rapier.RigidBodyBuilder, shapes: list[rapier.ColliderBuilder], properties: RigidProperties
    ) -> int:
        key, self._next_key, self.changes = self._next_key, self._next_key + 1, self.changes + 1
        handle = self._world.add_body(builder, [*shapes])
        body = self._world.rigid_bodies[handle]
        self._handles[key], self._bodies[key] = handle, body
        self.contacts.watch(key)
        if body.is_dynamic:
            # Else Rapier takes its mass over in the next step, and pushes before that have no effect.
            body.recompute_mass_properties_from_colliders(self._world.colliders)
            self._let_sleep(body, properties)
        return key

    def _let_sleep(self, body: rapier.RigidBody, properties: RigidProperties) -> None:
        self._rest.let_sleep(body, properties.gyration / self._units.length)

    def _with_state(
        self, builder: rapier.RigidBodyBuilder, pose: np.ndarray, velocity: np.ndarray, angular_velocity: np.ndarray
    ) -> rapier.RigidBodyBuilder:
        builder = builder.position(self._units.isometry(pose)).ccd_enabled(True)
        return builder.linvel(self._units.scaled(velocity)).angvel(vector(angular_velocity))
