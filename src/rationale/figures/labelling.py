"""Where labels of points go, so that they hide neither each other nor the points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_DIRECTIONS = 24
_DISTANCES = np.array([4, 7, 10, 14, 19, 25, 32, 40, 50, 62, 76, 92], dtype=float)  # 1/72 inch
_SWEEPS = 4
_AIR = 1.5  # kept free around a label
_MARK = np.array([6.0, 6.0])  # size of a point's mark

_OUTSIDE, _OVER_LABEL, _OVER_MARK, _THROUGH_LABEL, _CROSSING = 1000, 600, 300, 200, 80
_OVER_BAR, _THROUGH_MARK = 15, 30


class _Labels(NamedTuple):
    """Labels with leaders: points (n, 2), centres of the labels (n, 2), their sizes (n, 2)."""

    points: np.ndarray
    centres: np.ndarray
    sizes: np.ndarray

    def take(self, which: np.ndarray) -> _Labels:
        return _Labels(*(part[which] for part in self))

    def ends(self) -> np.ndarray:
        return nearest_on_box(self.points, self.centres, self.sizes)


def spread_labels(
    points: np.ndarray, sizes: np.ndarray, frame: np.ndarray, bars: np.ndarray
) -> np.ndarray:
    """Centres (n, 2) for labels of ``sizes`` (n, 2) beside ``points`` (n, 2), all in 1/72 inch.

    ``frame`` is (left, bottom, right, top); so is each row of ``bars`` (k, 4), level or upright lines
    that labels should keep clear of. Each label takes the least bad of many places around its point,
    one after another, then again given all the others. Bad, worst first: outside the frame, over a
    label, over a mark, a leader through a label, crossing leaders, over a bar, a leader through a
    mark, far from the point.
    """
    x, y = points.T
    orders = (np.lexsort((y, x))[::-1], np.lexsort((x, y)), np.lexsort((x, y))[::-1])
    tries = [_place(points, sizes, frame, bars, order) for order in orders]
    return min(tries, key=lambda found: found[0])[1]


def _place(
    points: np.ndarray, sizes: np.ndarray, frame: np.ndarray, bars: np.ndarray, order: np.ndarray
) -> tuple[float, np.ndarray]:
    """Badness and centres when labels choose their places in this order."""
    labels = _Labels(points, np.array(points, dtype=float), sizes)
    placed = np.zeros(len(points), dtype=bool)
    all_choices = [_choices(point, size) for point, size in zip(points, sizes, strict=True)]
    alone = [_own_badness(choices, points, frame, bars) for choices in all_choices]
    for _ in range(_SWEEPS):
        total, before = 0.0, labels.centres.copy()
        for i in order:
            placed[i] = False
            bad = alone[i] + _clashes(all_choices[i], labels.take(placed))
            labels.centres[i] = all_choices[i].centres[np.argmin(bad)]
            total += float(bad.min())
            placed[i] = True
        if np.array_equal(before, labels.centres):
            break
    return total, labels.centres


def nearest_on_box(points: np.ndarray, centres: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The place on or in each label's box that is nearest to its point: where its leader ends."""
    return np.clip(points, centres - sizes / 2, centres + sizes / 2)


def _choices(point: np.ndarray, size: np.ndarray) -> _Labels:
    """The same label at every distance in every direction, its near side or corner at that place."""
    angles = 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    away = np.column_stack([np.cos(angles), np.sin(angles)])
    side = away / np.abs(away).max(axis=1, keepdims=True)
    centres = (point + side * size / 2 + _DISTANCES[:, None, None] * away).reshape(-1, 2)
    return _Labels(*np.broadcast_arrays(point, centres, size))


def _own_badness(
    choices: _Labels, points: np.ndarray, frame: np.ndarray, bars: np.ndarray
) -> np.ndarray:
    """Badness of each place that does not depend on where other labels stand."""
    bad = np.repeat(_DISTANCES, _DIRECTIONS) + _OUTSIDE * _outside(choices, frame)
    bad += _OVER_MARK * _meet(choices, points, _MARK).sum(axis=1)
    middles, lengths = (bars[:, :2] + bars[:, 2:]) / 2, np.abs(bars[:, 2:] - bars[:, :2])
    bad += _OVER_BAR * _meet(choices, middles, lengths).sum(axis=1)
    through = _through(choices.points, choices.ends(), points, _MARK / 2).sum(axis=1)
    return bad + _THROUGH_MARK * through


def _outside(choices: _Labels, frame: np.ndarray) -> np.ndarray:
    under = np.maximum(frame[:2] - (choices.centres - choices.sizes / 2), 0)
    over = np.maximum(choices.centres + choices.sizes / 2 - frame[2:], 0)
    return (under + over).sum(axis=1)


def _clashes(choices: _Labels, others: _Labels) -> np.ndarray:
    ends, their_ends = choices.ends(), others.ends()
    bad = _OVER_LABEL * _meet(choices, others.centres, others.sizes + _AIR).sum(axis=1)
    through = _through(choices.points, ends, others.centres, others.sizes + _AIR).sum(axis=1)
    through += _through(others.points, their_ends, choices.centres, choices.sizes + _AIR).sum(
        axis=0
    )
    crossing = _cross(choices.points, ends, others.points, their_ends).sum(axis=1)
    return bad + _THROUGH_LABEL * through + _CROSSING * crossing


def _meet(choices: _Labels, centres: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    reach = (choices.sizes[:, None] + sizes) / 2
    near = np.abs(choices.centres[:, None] - centres) < reach
    return near[..., 0] & near[..., 1]


def _through(
    start: np.ndarray, end: np.ndarray, boxes: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Which lines (n) run through which boxes (m): where the slabs of both axes are left last."""
    run = np.where(end == start, 1e-9, end - start)[:, None]
    first = (boxes - sizes / 2 - start[:, None]) / run
    last = (boxes + sizes / 2 - start[:, None]) / run
    enter, leave = np.minimum(first, last), np.maximum(first, last)
    enter = np.maximum(enter[..., 0], enter[..., 1])
    leave = np.minimum(leave[..., 0], leave[..., 1])
    return np.maximum(enter, 0) <= np.minimum(leave, 1)


def _cross(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Which lines ab (n) cross which lines cd (m); a shared end is no crossing."""
    a, b = a[:, None], b[:, None]
    return (_side(a, b, c) * _side(a, b, d) < 0) & (_side(c, d, a) * _side(c, d, b) < 0)


def _side(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Positive where p is left of the line from a to b."""
    along, aside = b - a, p - a
    return along[..., 0] * aside[..., 1] - along[..., 1] * aside[..., 0]
