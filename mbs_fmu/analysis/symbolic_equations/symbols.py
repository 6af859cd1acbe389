"""Symbols of SymPy for the numbers of a model: signals, coordinates, joint velocities and their rates."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ...compile.laws.resolve import REGIONS
from ...compile.tree.links import Tree
from ...model.items import Body
from ...model.model import Model
from ...record.layout import TIME, Load

LETTERS = {"rad": "phi", "m": "s", "1": "e", "rad/s": "omega", "m/s": "v"}  #: of coordinates and velocities, by unit


class Symbols:
    """The symbols of a model.

    by_name: by the names of results, parameters and inputs. by_load: by the numbers of the record. q, u, u_dot, p: of
    coordinates, joint velocities, their rates and the momenta, in the order of the record. lengths: squared lengths of
    quaternions.
    """

    def __init__(self, model: Model, tree: Tree):
        self.by_name: dict[str, Any] = {}
        self.by_load: dict[Load, Any] = {}
        self._taken: set[str] = set()
        self.lengths: list[Any] = []
        signals = {
            "parameter": list(model.parameters), "input": list(model.inputs), "state": list(model.states),
            "sampled": [name for x in model.sampled_signals.values() for name in x.names],
        }  # fmt: skip
        for role, names in signals.items():
            for k, name in enumerate(names):
                self._add(name, name, Load("R", REGIONS[role], k))
        self.time = self._add("time", "time" if "t" in self._taken else "t", TIME)
        u: dict[int, tuple[Any, Any, Any]] = {}
        for body in tree.order:
            self._add_coordinates(body, tree)
            u |= self._velocities(body, tree)
        self.q = [x for load, x in self.by_load.items() if load.region == "q"]
        self.u, self.u_dot, self.p = map(list, zip(*(u[k] for k in sorted(u)), strict=True)) if u else ([], [], [])

    def _symbol(self, name: str) -> Any:
        """Return a new symbol; primes distinguish it from others of the same name."""
        while name in self._taken:
            name += "'"
        self._taken.add(name)
        return sp.Symbol(name, real=True)

    def _add(self, name: str, written: str, load: Load) -> Any:
        self.by_name[name] = self.by_load[load] = symbol = self._symbol(written)
        return symbol

    def _add_coordinates(self, body: Body, tree: Tree) -> None:
        names = body.joint.coordinates
        for k, ((suffix, unit), address) in enumerate(zip(names, tree.q.get(body.name, []), strict=True)):
            if address.region == "q":
                self._add(f"{body.name}.{suffix}", f"{LETTERS[unit]}_{_label(body, k, len(names))}", address.load)
        for first in body.joint.quaternions:
            if tree.q[body.name][first].region == "q":
                loads = [address.load for address in tree.q[body.name][first : first + 4]]
                self.lengths.append(sp.Add(*(self.by_load[load] ** 2 for load in loads)))

    def _velocities(self, body: Body, tree: Tree) -> dict[int, tuple[Any, Any, Any]]:
        """Return the symbols of a body's joint velocities, their rates and momenta, by their numbers."""
        made = {}
        names, scalar = body.joint.rates, body.joint.scalar
        for k, ((suffix, unit), address) in enumerate(zip(names, tree.u.get(body.name, []), strict=True)):
            if address.region == "u":
                letter, label = LETTERS[unit.removesuffix("/s") if scalar else unit], _label(body, k, len(names))
                dots = ("dot", "ddot") if scalar else ("", "dot")
                velocity = self._add(f"{body.name}.{suffix}", f"{letter}{dots[0]}_{label}", address.load)
                made[address.offset] = (velocity, *map(self._symbol, (f"{letter}{dots[1]}_{label}", f"p_{label}")))
        return made


def _label(body: Body, k: int, count: int) -> str:
    """Return the index of symbols of a joint: the body's name, and a number if the joint has several."""
    return body.name if count == 1 else f"{body.name}_{k + 1}"
