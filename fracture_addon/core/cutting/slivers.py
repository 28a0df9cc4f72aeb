"""Parts that are too small to be pieces: each is given to the neighbour that it sticks to most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from ..data.arrays import distinct, order_of
from ..geometry.fans import fans, mates
from ..numerics.components import components
from .cut import Cuts


def components_of(cuts: Cuts) -> tuple[np.ndarray, np.ndarray]:
    """(F,) component of each face, and (K,) signed volumes of the components; the hollow ones are negative."""
    component_of_point = components(cuts.faces, len(cuts.points))
    component = component_of_point[cuts.faces[:, 0]]
    volumes = np.zeros(component_of_point.max(initial=-1) + 1)
    _volumes_kernel(cuts.points, cuts.faces, component, np.full(len(volumes), -1), volumes)
    return component, volumes


@njit(cache=True, nogil=True)
def _volumes_kernel(points, faces, component, apex, volumes):
    """Each component's volume about a point of its own: no rounding from its distance to the origin."""
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
    """Give what is too small to the neighbour that it sticks to, and drop what is rounding.

    Args:
        cuts: Of all regions.
        sliver_volume: m3, below which all but the largest part of a region was trimmed off by the surface.
        least: (K,) m3, below which a part of each region is dust, the largest one too.
        numerical_volume: m3, of rounding.
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
    """Cuts while components of them are made parts of others; each merger touches the two of them only."""

    def __init__(self, cuts: Cuts, component: np.ndarray, volumes: np.ndarray):
        self._cuts = cuts
        self.volumes = volumes.copy()
        self._points, self._point_count = cuts.points, len(cuts.points)
        self._faces, self._region, self._component = cuts.faces.copy(), cuts.region.copy(), component.copy()
        self._remains = np.ones(len(component), bool)
        order = order_of(component)
        self._rows = np.split(order, np.searchsorted(component[order], np.arange(1, len(volumes))))
        self._by_wall = order_of(cuts.wall_row + 1)
        self._walls = cuts.wall_row[self._by_wall]

    def result(self) -> tuple[Cuts, np.ndarray, np.ndarray]:
        """What is left: the cuts, the component of each face and the volumes of the components."""
        cuts = replace(self._cuts, points=self._points[: self._point_count], faces=self._faces, region=self._region)
        rows = np.flatnonzero(self._remains)
        return take(cuts, rows), self._component[rows], self.volumes

    def merge(self, sliver: int) -> None:
        """Make a component a part of the one it has most contact with, of those that it meets cleanly."""
        rows = self._rows[sliver]
        own = rows[self._cuts.wall_row[rows] >= 0]
        other = self._behind(own, sliver)
        other = other[self._all_among(other, own)]
        a, b, c = np.moveaxis(self._points[self._faces[other]], 1, 0)
        hosts, row = np.unique(self._component[other], return_inverse=True)
        contact = np.bincount(row, np.linalg.norm(np.cross(b - a, c - a), axis=1), len(hosts))
        for host in hosts[np.argsort(-contact, kind="stable")]:
            if self._glue(sliver, host, own, other[self._component[other] == host]):
                return

    def _behind(self, own: np.ndarray, sliver: int) -> np.ndarray:
        """Faces of other components that the same walls made."""
        walls = distinct(self._cuts.wall_row[own])
        first, last = np.searchsorted(self._walls, walls), np.searchsorted(self._walls, walls, side="right")
        places = np.repeat(first - np.cumsum(last - first) + (last - first), last - first)
        rows = np.sort(self._by_wall[places + np.arange(len(places))])
        return rows[self._remains[rows] & (self._component[rows] != sliver)]

    def _glue(self, sliver: int, host: int, own: np.ndarray, other: np.ndarray) -> bool:
        """Take the seam of a component (its wall faces ``own``) and its host (its faces ``other``) out.

        The two sides of a seam are triangles of the same walls on the same points, divided differently.

        Returns:
            Whether that was possible: something has to be left of both, and that closed.
        """
        wall_row = self._cuts.wall_row
        own = own[np.isin(wall_row[own], wall_row[other]) & self._all_among(own, other)]
        if not len(own):
            return False
        # The sliver takes over the host's points along the seam, and the seam goes. Where the host touches itself
        # there, with several points in one place, they become one first.
        point_at: dict[bytes, int] = {}
        seam = np.concatenate([distinct(self._faces[other]), distinct(self._faces[own])])
        becomes = np.array([point_at.setdefault(self._points[point].tobytes(), point) for point in seam])
        both = np.sort(np.concatenate([self._rows[sliver], self._rows[host]]))
        both = both[~np.isin(both, np.concatenate([own, other]))]
        renamed = np.arange(self._point_count)
        renamed[seam] = becomes
        faces = renamed[self._faces[both]]
        if not len(faces) and self.volumes[host] < 0.0:
            # It fills a hollow of its host, and both go.
            self._remains[self._rows[sliver]] = self._remains[self._rows[host]] = False
            self._rows[host] = self._rows[sliver] = both
            self.volumes[[host, sliver]] = 0.0
            return True
        mate = mates(faces, self._point_count)
        if not len(faces) or not _is_closed(faces, mate):
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
        """Put points behind the others; returns the row of the first."""
        first, self._point_count = self._point_count, self._point_count + len(points)
        if self._point_count > len(self._points):
            room = np.empty((2 * self._point_count, 3))
            room[:first] = self._points[:first]
            self._points = room
        self._points[first : self._point_count] = points
        return first

    def _all_among(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(N,) bool, faces ``rows`` whose corners all lie exactly where some faces ``others`` have one."""
        places = {point.tobytes() for point in self._points[distinct(self._faces[others])]}
        corners = self._points[self._faces[rows]].reshape(-1, 3)
        return np.array([point.tobytes() in places for point in corners], bool).reshape(-1, 3).all(axis=1)


def _is_closed(faces: np.ndarray, mate: np.ndarray) -> bool:
    """Whether every edge has exactly two faces (those of ``mates``), which run along it in opposite directions."""
    ends = faces[:, [1, 2, 0]].ravel()
    return bool((mate >= 0).all() and (faces.ravel()[mate] == ends).all())


def take(cuts: Cuts, rows: np.ndarray) -> Cuts:
    """Some faces of cuts."""
    return Cuts(cuts.points, cuts.faces[rows], cuts.region[rows], cuts.source_row[rows], cuts.wall_row[rows])
