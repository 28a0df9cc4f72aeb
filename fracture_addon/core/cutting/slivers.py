"""Slivers: components too small to be fragments. Each is merged with the neighbour with the largest common area."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from ..data.arrays import distinct, order_of
from ..geometry.fans import fans, mates
from ..numerics.components import components
from .cut import Cuts


def components_of(cuts: Cuts) -> tuple[np.ndarray, np.ndarray]:
    """Return the connected components of cuts.

    Args:
        cuts: Cuts of all regions.

    Returns:
        (F,) component of each face, and (K,) signed volume of each component, m3; cavities are negative.
    """
    component_of_point = components(cuts.faces, len(cuts.points))
    component = component_of_point[cuts.faces[:, 0]]
    volumes = np.zeros(component_of_point.max(initial=-1) + 1)
    _volumes_kernel(cuts.points, cuts.faces, component, np.full(len(volumes), -1), volumes)
    return component, volumes


@njit(cache=True, nogil=True)
def _volumes_kernel(
    points: np.ndarray, faces: np.ndarray, component: np.ndarray, apex: np.ndarray, volumes: np.ndarray
) -> None:
    """Compute volumes relative to a point of each component, to avoid rounding far from the origin."""
    for row in range(len(faces)):
        owner = component[row]
        if apex[owner] < 0:
            apex[owner] = faces[row, 0]
        a, b, c, o = faces[row, 0], faces[row, 1], faces[row, 2], apex[owner]
        ax, ay, az = points[a, 0] - points[o, 0], points[a, 1] - points[o, 1], points[a, 2] - points[o, 2]
        bx, by, bz = points[b, 0] - points[o, 0], points[b, 1] - points[o, 1], points[b, 2] - points[o, 2]
        cx, cy, cz = points[c, 0] - points[o, 0], points[c, 1] - points[o, 1], points[c, 2] - points[o, 2]
        volumes[owner] += (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6.0


def without_slivers(cuts: Cuts, sliver_volume: float, least: np.ndarray, numerical_volume: float) -> Cuts:
    """Merge small components with the neighbour with the largest common area, and drop those that rounding made.

    Args:
        cuts: Cuts of all regions.
        sliver_volume: m3, volume below which a component is merged if it is not the largest of its region.
        least: (K,) m3, volume of each region below which its largest component is merged too.
        numerical_volume: Volume of rounding errors, m3.

    Returns:
        The remaining faces. A component without a neighbour that fits stays.
    """
    component, volumes = components_of(cuts)
    region = np.zeros(len(volumes), int)
    region[component] = cuts.region
    largest = np.zeros(len(least))
    np.maximum.at(largest, region, volumes)
    enough = np.where(volumes < largest[region], np.maximum(sliver_volume, least[region]), least[region])
    small = np.flatnonzero((volumes >= 0.0) & (volumes < enough) & (volumes < volumes.max(initial=0.0)))
    merging = _Merging(cuts, component, volumes)
    for sliver in small[np.argsort(volumes[small], kind="stable")]:
        if merging.volumes[sliver] < enough[sliver]:
            merging.merge(sliver)
    cuts, component, volumes = merging.result()
    return take(cuts, np.flatnonzero(np.abs(volumes[component]) > numerical_volume))


class _Merging:
    """Cuts whose components are merged one by one. A merger changes only the two components."""

    def __init__(self, cuts: Cuts, component: np.ndarray, volumes: np.ndarray):
        self._cuts = cuts
        self.volumes = volumes.copy()
        self._points, self._point_count = cuts.points, len(cuts.points)
        self._faces, self._region, self._component = cuts.faces.copy(), cuts.region.copy(), component.copy()
        self._remains = np.ones(len(component), bool)
        order = order_of(component)
        self._rows = np.split(order, np.searchsorted(component[order], np.arange(1, len(volumes))))
        self._by_crack = order_of(cuts.crack_row + 1)
        self._cracks = cuts.crack_row[self._by_crack]

    def result(self) -> tuple[Cuts, np.ndarray, np.ndarray]:
        """Return the cuts, the component of each face, and the volumes of the components."""
        cuts = replace(self._cuts, points=self._points[: self._point_count], faces=self._faces, region=self._region)
        rows = np.flatnonzero(self._remains)
        return take(cuts, rows), self._component[rows], self.volumes

    def merge(self, sliver: int) -> None:
        """Merge a component with a neighbour: that of largest common area, if the result is closed, else the next."""
        rows = self._rows[sliver]
        own = rows[self._cuts.crack_row[rows] >= 0]
        other = self._behind(own, sliver)
        other = other[self._all_among(other, own)]
        a, b, c = np.moveaxis(self._points[self._faces[other]], 1, 0)
        hosts, row = np.unique(self._component[other], return_inverse=True)
        contact = np.bincount(row, np.linalg.norm(np.cross(b - a, c - a), axis=1), len(hosts))
        for host in hosts[np.argsort(-contact, kind="stable")]:
            if self._glue(sliver, host, own, other[self._component[other] == host]):
                return

    def _behind(self, own: np.ndarray, sliver: int) -> np.ndarray:
        """Return the faces of other components on the same crack faces."""
        cracks = distinct(self._cuts.crack_row[own])
        first, last = np.searchsorted(self._cracks, cracks), np.searchsorted(self._cracks, cracks, side="right")
        places = np.repeat(first - np.cumsum(last - first) + (last - first), last - first)
        rows = np.sort(self._by_crack[places + np.arange(len(places))])
        return rows[self._remains[rows] & (self._component[rows] != sliver)]

    def _glue(self, sliver: int, host: int, own: np.ndarray, other: np.ndarray) -> bool:
        """Remove the common faces of a component (``own``) and its host (``other``), and join the rest.

        The faces on both sides are parts of the same triangles over the same points, divided differently.

        Returns:
            Whether the result is closed and not empty. Otherwise nothing is changed.
        """
        crack_row = self._cuts.crack_row
        own = own[np.isin(crack_row[own], crack_row[other]) & self._all_among(own, other)]
        if not len(own):
            return False
        # The sliver gets the host's points along the seam. Points of the host at the same position are merged first.
        point_at: dict[bytes, int] = {}
        seam = np.concatenate([distinct(self._faces[other]), distinct(self._faces[own])])
        becomes = np.array([point_at.setdefault(self._points[point].tobytes(), point) for point in seam])
        both = np.sort(np.concatenate([self._rows[sliver], self._rows[host]]))
        both = both[~np.isin(both, np.concatenate([own, other]))]
        renamed = np.arange(self._point_count)
        renamed[seam] = becomes
        faces = renamed[self._faces[both]]
        if not len(faces) and self.volumes[host] < 0.0:
            # It fills a cavity of its host. Both disappear.
            self._remains[self._rows[sliver]] = self._remains[self._rows[host]] = False
            self._rows[host] = self._rows[sliver] = both
            self.volumes[[host, sliver]] = 0.0
            return True
        mate = mates(faces, self._point_count)
        if not len(faces) or not _is_manifold(faces, mate):
            return False
        vertices = fans(mate)
        points = np.empty((int(vertices.max()) + 1, 3))
        points[vertices] = self._points[faces]
        self._faces[both] = self._add(points) + vertices
        self._remains[own] = self._remains[other] = False
        self._region[both], self._component[both] = self._region[other[0]], host
        self._rows[host], self._rows[sliver] = both, both[:0]
        self.volumes[host] += self.volumes[sliver]
        return True

    def _add(self, points: np.ndarray) -> int:
        """Append points, and return the row of the first."""
        first, self._point_count = self._point_count, self._point_count + len(points)
        if self._point_count > len(self._points):
            room = np.empty((2 * self._point_count, 3))
            room[:first] = self._points[:first]
            self._points = room
        self._points[first : self._point_count] = points
        return first

    def _all_among(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return whether all corners of faces ``rows`` are at exactly the positions of corners of ``others``."""
        places = {point.tobytes() for point in self._points[distinct(self._faces[others])]}
        corners = self._points[self._faces[rows]].reshape(-1, 3)
        among = np.array([point.tobytes() in places for point in corners], bool)
        return np.all(among.reshape(-1, 3), axis=1)


def _is_manifold(faces: np.ndarray, mate: np.ndarray) -> bool:
    """Return whether each edge has exactly two faces (those of ``mates``), in opposite directions."""
    ends = faces[:, [1, 2, 0]].ravel()
    return bool((mate >= 0).all() and (faces.ravel()[mate] == ends).all())


def take(cuts: Cuts, rows: np.ndarray) -> Cuts:
    """Return some faces of cuts."""
    return Cuts(cuts.points, cuts.faces[rows], cuts.region[rows], cuts.source_row[rows], cuts.crack_row[rows])
