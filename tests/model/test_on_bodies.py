"""Tables of items that find those of one body, after every change of a dictionary."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.on_bodies import OnBodies

pytestmark = pytest.mark.quick


def test_items_of_a_body_are_found_after_any_change() -> None:
    """The table agrees with a search through all items."""
    rng, table = np.random.default_rng(0), OnBodies[SimpleNamespace]()
    for _ in range(300):
        name = f"x{rng.integers(20)}"
        item = SimpleNamespace(body=f"b{rng.integers(4)}", leader=f"b{rng.integers(4)}")
        change = rng.integers(8)
        if change < 3:
            table[name] = item
        elif change == 3:
            table.update({name: item})
        elif change == 4:
            table |= {name: item}
        elif change == 5:
            table.pop(name, None)
        elif change == 6:
            table.setdefault(name, item)
        elif rng.random() < 0.2:
            table.clear()
        for chosen in (table, copy.copy(table), pickle.loads(pickle.dumps(table))):
            for body in "b0", "b3":
                for role in "body", "leader":
                    found = [x for x in chosen.values() if getattr(x, role) == body]
                    assert sorted(map(id, chosen.on(body, role))) == sorted(map(id, found))


def test_drives_of_included_and_assigned_tables_are_found() -> None:
    """A model that is added to another keeps its drives, and a plain dictionary may replace a table."""

    def part() -> mbs.Model:
        m = mbs.Model("part")
        m.drive("d", on=m.body("cart", joint=mbs.Prismatic("x"), mass=1.0), position=mbs.sin(mbs.time))
        return m

    whole = mbs.Model("whole")
    whole.include(part(), "one")
    with pytest.raises(mbs.ModelError, match="has a drive already"):
        whole.drive("again", on="one.cart", position=mbs.time)
    other = part()
    other.drives = dict(other.drives)
    with pytest.raises(mbs.ModelError, match="has a drive already"):
        other.drive("again", on="cart", position=mbs.time)
