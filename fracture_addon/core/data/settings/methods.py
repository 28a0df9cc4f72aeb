"""Settings of a single method, one group each."""

from __future__ import annotations

from dataclasses import dataclass

from .setting import Group, setting


@dataclass(frozen=True)
class NetworkSettings(Group):
    """Settings of the method Network."""

    bonds: str = setting(
        "full",
        "Bonds",
        "Kind of bond between two cells. Change it only to compare with Smith et al. 2001. Only for the method Network",
        choices=(
            ("full", "Full", "Bonds over the whole face between two cells, which carry force and moment. Gives shards"),
            (
                "point",
                "Point",
                "Point masses and distance constraints (Smith et al. 2001). Gives mostly dust. For comparison only",
            ),
        ),
    )
    loading: str = setting(
        "ramp",
        "Load History",
        "How the load of an impact changes over time. Choose Events for exact loads. Only for the method Network",
        choices=(
            (
                "ramp",
                "In Time",
                "The load rises and falls while cracks advance at a finite speed. Point bonds use equal load steps",
            ),
            (
                "events",
                "Events",
                "Raise the load exactly to the value at which the next bond fails. Cracks advance instantly",
            ),
        ),
    )
    load_steps: int = setting(
        20,
        "Load Steps",
        "Number of steps in which the load of an impact rises and falls. Only for point bonds. "
        "Raise it for more accuracy; each step takes time",
        low=1,
        soft=(None, 100),
    )


@dataclass(frozen=True)
class LatticeSettings(Group):
    """Settings of the method Lattice, for deformable bodies."""

    creep: float = setting(
        0.0,
        "Plastic Flow",
        "Rate of plastic flow (creep), in 1/s: how fast a bent object loses the tendency to spring back. "
        "0: it springs back completely. Raise it for clay or lead. Only for a deformable lattice",
        low=0.0,
        soft=(None, 50.0),
        unit="1/s",
    )
    yield_share: float = setting(
        0.3,
        "Yield Fraction",
        "Strain at which plastic flow begins, as a fraction of the strain at which the object breaks. "
        "Lower it so that small deformations are permanent too. Only for a deformable lattice",
        low=0.0,
        high=1.0,
        unit="fraction",
    )
    self_collision: bool = setting(
        False,
        "Self Collision",
        "Let connected parts of the object collide with each other: folds of cloth, coils of a rope. "
        "Takes longer. Pieces that broke off always collide. Only for deformable objects",
    )
    integrator: str = setting(
        "leapfrog",
        "Integrator",
        "Method of time integration. Change it only to compare with Norton et al. 1991. Only for a deformable lattice",
        choices=(
            ("leapfrog", "Leapfrog", "Energy stays bounded. The fastest"),
            (
                "runge_kutta",
                "Runge-Kutta",
                "Fourth order. Computes the forces four times per step, and takes as many steps as Leapfrog",
            ),
            (
                "euler",
                "Euler",
                "As in Norton et al. 1991. Needs ten times as many steps as Leapfrog, because energy grows in long "
                "steps. Volume and Shear Damping change that number. Bounces slightly higher",
            ),
        ),
    )


# Whether contact is that of nodes inside elements, by ``FemSettings.contact``.
CONTACT_BY_NODES = {"volume": False, "node": True}


@dataclass(frozen=True)
class FemSettings(Group):
    """Settings of the method Finite Elements."""

    contact: str = setting(
        "volume",
        "Contact",
        "How contact between crack faces and between bodies is detected. Choose Nodes for a shorter run. "
        "Only for finite elements",
        choices=(
            (
                "volume",
                "Overlap",
                "Force from the volume in which elements overlap. Also finds edges that cross",
            ),
            (
                "node",
                "Nodes",
                "Force from the depth of nodes inside elements. Faster, but misses edges that cross",
            ),
        ),
    )
    separation_force: float = setting(
        0.0,
        "Separation Force",
        "Force that splits a node, in N, as in O'Brien and Hodgins 1999; smaller elements become stronger. "
        "0: use the material's strength and toughness, which do not depend on the element size. "
        "Set it to compare with their paper. Only for finite elements",
        low=0.0,
        soft=(None, 1e5),
        unit="N",
        precision=1,
    )
    crack_speed: float = setting(
        0.0,
        "Crack Speed Limit",
        "Largest speed of cracks, in m/s. 0: half of the speed of surface waves, as in glass and ceramics. "
        "Set it for slow cracks that are seen to grow. Only for finite elements",
        low=0.0,
        soft=(None, 1000.0),
        unit="m/s",
        precision=2,
    )
    crack_passes: int = setting(
        1,
        "Crack Passes",
        "How often the stress is computed again within one check for cracks. From 2 on, new crack fronts go on, and "
        "nodes crack along a second plane, in the same check. Raise it for more branches. Only for finite elements",
        low=1,
        high=8,
    )
    time_steps: str = setting(
        "auto",
        "Time Steps",
        "Method of time integration. Change it to compare methods, or for a preview. Only for deformable finite "
        "elements",
        choices=(
            ("auto", "Automatic", "Small explicit steps near cracks and bounces, long semi-implicit steps otherwise"),
            ("explicit", "Explicit", "Small steps only, as in O'Brien and Hodgins 1999. Resolves all waves. Slow"),
            (
                "implicit",
                "Semi-Implicit",
                "Long steps only. Fast, but damps waves and bounces, and cracks advance by a few elements per step",
            ),
        ),
    )

    @property
    def contact_by_nodes(self) -> bool:
        """Whether contact is that of nodes inside elements, and not of elements that overlap."""
        return CONTACT_BY_NODES[self.contact]
