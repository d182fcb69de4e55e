"""Columns packed for a page: typed arrays and texts, gzipped and written in base64."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

# Characters of one text, and of all texts of a block: a page of some 30 MB at the most.
LONGEST_TEXT = 20_000
MOST_TEXT = 60_000_000
GAP = "\0"
_ALIGNED = 8
_WHOLE = (np.uint8, np.uint16, np.uint32)


class Block:
    """Named columns and facts that a page unpacks together.

    In bytes: the length of the header as a little-endian uint32; the header, JSON padded with
    spaces; the columns, each at a multiple of 8 bytes behind the header's end. The header holds
    ``facts`` and, by column, its type (u1, u2, u4, i2, f4, f8), offset and number of items.
    """

    def __init__(self, facts: Mapping[str, Any]):
        self.facts = facts
        self._columns: dict[str, np.ndarray] = {}

    def column(self, name: str, values: Iterable) -> None:
        """Whole numbers from 0 in the smallest type that holds them; floats as float64."""
        array = np.asarray(values)
        if array.dtype == bool or not len(array):
            array = array.astype(np.uint8)
        elif array.dtype.kind in "iu":
            array = array.astype(_smallest(array))
        self._columns[name] = array

    def lists(self, name: str, values: pl.Series, scale: float | None = None) -> None:
        """A list a row: lengths as ``name.n``, all items in a row as ``name``; null is empty.

        With a ``scale`` items are rounded to whole multiples of 1/scale.
        """
        values = values.fill_null([]) if values.null_count() else values
        items = values.explode(empty_as_null=False, keep_nulls=False).to_numpy()
        self.column(f"{name}.n", values.list.len().to_numpy())
        self.column(name, items if scale is None else np.rint(items * scale).astype(np.int64))

    def texts(self, name: str, values: Sequence[str | None]) -> None:
        """Texts in a row as UTF-8, their lengths in bytes as ``name.n``; null is empty."""
        encoded = [(value or "").encode() for value in values]
        self._columns[name] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        self.column(f"{name}.n", np.fromiter(map(len, encoded), np.int64, len(encoded)))

    def encoded(self) -> str:
        """The block gzipped, in base64: letters, digits and + / = only."""
        places, parts, offset = {}, [], 0
        for name, array in self._columns.items():
            places[name] = [array.dtype.str[1:], offset, len(array)]
            filled = array.tobytes()
            filled += bytes(-len(filled) % _ALIGNED)
            parts.append(filled)
            offset += len(filled)
        header = json.dumps({"facts": self.facts, "columns": places}, ensure_ascii=False).encode()
        header += b" " * (-(len(header) + 4) % _ALIGNED)
        whole = len(header).to_bytes(4, "little") + header + b"".join(parts)
        return base64.b64encode(gzip.compress(whole, 6, mtime=0)).decode("ascii")


def _smallest(array: np.ndarray) -> type:
    if array.min() < 0:
        raise ValueError("a column of whole numbers holds one below 0")
    return next(kind for kind in _WHOLE if array.max() <= np.iinfo(kind).max)


def coded(values: pl.Series, order: Sequence[str] = ()) -> tuple[list[str], np.ndarray]:
    """The different values, those of ``order`` first, and each row's place among them from 0.

    A null counts as the empty text.
    """
    values = values.fill_null("")
    found = values.unique(maintain_order=True).to_list()
    known = [value for value in order if value in found]
    names = known + [value for value in found if value not in known]
    return names, values.cast(pl.Enum(names)).to_physical().to_numpy()


def texts_once(
    block: Block,
    name: str,
    values: pl.Series,
    longest: int = LONGEST_TEXT,
    budget: int = MOST_TEXT,
) -> None:
    """Texts that repeat, each kept once: the codes as ``name.code``, the texts as ``name``.

    A text of more than ``longest`` characters, or of more than lets all of them together have no
    more than ``budget``, is shortened: its beginning, the mark GAP, and its end. ``name.left`` is how
    many characters are left out, else 0.
    """
    unique = values.unique(maintain_order=True)
    codes = pl.DataFrame({"text": values}).join(
        pl.DataFrame({"text": unique}).with_row_index("code"),
        on="text",
        how="left",
        maintain_order="left",
    )
    lengths = unique.str.len_chars().to_numpy()
    most = min(longest, length_that_fits(lengths, budget))
    block.column(f"{name}.code", codes["code"].to_numpy())
    block.texts(name, [_shortened(text, most) for text in unique])
    block.column(f"{name}.left", np.maximum(lengths.astype(np.int64) - most, 0))


def length_that_fits(lengths: np.ndarray, budget: int) -> int:
    """The greatest length to which texts may be cut so that all together are within a budget."""
    ordered = np.sort(np.asarray(lengths, dtype=np.int64))
    before = np.r_[0, np.cumsum(ordered)[:-1]]
    over = before + ordered * np.arange(len(ordered), 0, -1) > budget
    if not over.any():
        return int(ordered[-1]) if len(ordered) else 0
    first = int(np.argmax(over))
    return int((budget - before[first]) // (len(ordered) - first))


def _shortened(text: str, most: int) -> str:
    """A long text's beginning and end; what settles an answer is mostly its end."""
    if len(text) <= most:
        return text
    last = most // 3
    kept = text[: most - last], text[len(text) - last :]
    return GAP.join(part.replace(GAP, "\ufffd") for part in kept)
