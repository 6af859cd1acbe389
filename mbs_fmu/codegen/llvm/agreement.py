"""Agreed branches: control flow of a function on lanes, when the lanes would take different ways.

A module for lanes may name in its constant ACTIVE the address of a row of the record, behind all others: 1 for active
lanes, 0 for lanes that have left. In such a module the functions of the record, whose first parameter is R, need no
values that are equal in all lanes where they branch, count or index:

- condition of a branch: the active lanes vote, and all go the way of the majority. The minority leaves.
- an integer: its value is that of the first active lane. Lanes with another value leave.
- `each(x)`: an integer of each lane, at which arrays are read, but not written.
- `and`, `or` whose later parts have effects, or are guarded by a part common to all lanes: part by part, each agreed.

A lane that has left continues to compute, with meaningless results, until its driver restores it and repeats its steps
alone. A vote never leaves all lanes inactive, so control flow is always that of a valid run of one member: indices are
within their arrays, and loops end. Every lane either executes exactly the statements of its single run, or is
discarded.

The constant LEAVING, the address of a second row, makes votes drop lanes at random, for tests: the results must not
change. The row contains the state of each lane's random generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import lines as ir
from . import vectors
from .kinds import narrow
from .operations import Operand, Operations
from .vectors import INTEGER, TRUTH

#: Multiplier and modulus of the random generator of tests (Park and Miller), to which each lane adds another number;
#: and the share of lanes that a vote drops.
MULTIPLIER, MODULUS, SHARE = 16807.0, 2147483647.0, 3e-4


class Agreement:
    """Writer of votes in the body of one function, whose record is `record`."""

    def __init__(self, operations: Operations, record: Operand, constants: Mapping[str, Any]):
        self.operations, self.builder, self.lanes = operations, operations.builder, operations.lanes
        self.record, self.constants = record, constants
        self.bits = ir.IntType(self.lanes)

    def condition(self, mask: ir.Value) -> ir.Value:
        """Return the truth on which the active lanes agree; lanes with the other one leave."""
        b = self.builder
        row, active, active_bits = self._active()
        true_bits = self._bits(b.and_(active, mask))
        every = b.icmp_signed("==", true_bits, active_bits)
        some = b.icmp_signed("!=", true_bits, ir.Constant(self.bits, 0))
        vote, after = b.append_basic_block(), b.append_basic_block()
        before = b.block
        b.cbranch(b.or_(every, b.not_(some)), after, vote)
        b.position_at_end(vote)
        yes, all_ = (self._count(x) for x in (true_bits, active_bits))
        decided = b.icmp_signed(">=", b.add(yes, yes), all_)
        others = b.and_(active, b.not_(mask))
        self._keep(b.select(decided, true_bits, self._bits(others)), row)
        end = b.block
        b.branch(after)
        b.position_at_end(after)
        result = b.phi(TRUTH)
        result.add_incoming(some, before)
        result.add_incoming(decided, end)
        return result

    def first(self, x: Operand) -> ir.Value:
        """Return the value of the first active lane."""
        _, _, active_bits = self._active()
        return self._first(x, active_bits)

    def integer(self, x: Operand) -> ir.Value:
        """Return the value of the first active lane as an integer; lanes with another one leave."""
        b = self.builder
        row, active, active_bits = self._active()
        one = self._first(x, active_bits)
        spread = vectors.spread(b, one, self.lanes)
        same = b.fcmp_ordered("==", x.value, spread) if x.kind == "lanes" else b.icmp_signed("==", x.value, spread)
        same_bits = self._bits(b.and_(active, same))
        leave, after = b.append_basic_block(), b.append_basic_block()
        b.cbranch(b.icmp_signed("==", same_bits, active_bits), after, leave)
        b.position_at_end(leave)
        self._keep(same_bits, row)
        b.branch(after)
        b.position_at_end(after)
        return self.operations.integer(Operand(one, narrow(x.kind))).value

    def _active(self) -> tuple[ir.Value, ir.Value, ir.Value]:
        """Return the row of active lanes, as numbers, mask and bits."""
        b = self.builder
        row = vectors.load_lanes(b, self._place("ACTIVE"), self.lanes)
        if "LEAVING" in self.constants:
            row = self._dropped(row)
        mask = b.fcmp_ordered(">", row, ir.Constant(row.type, None))
        return row, mask, self._bits(mask)

    def _dropped(self, row: ir.Value) -> ir.Value:
        """Return the row of active lanes after some have left at random, but not all."""
        b, operations = self.builder, self.operations
        numbers = [operations.constant(x, "float") for x in (MULTIPLIER, MODULUS, SHARE * MODULUS)]
        multiplier, modulus, least = (operations.converted(x, "lanes") for x in numbers)
        place = self._place("LEAVING")
        own = ir.Constant(multiplier.type, [float(1 + lane) for lane in range(self.lanes)])
        product = b.fadd(b.fmul(vectors.load_lanes(b, place, self.lanes), multiplier), own)
        quotient = vectors.truncated(b, b.fdiv(product, modulus), self.lanes)
        state = b.fsub(product, b.fmul(quotient, modulus))
        vectors.store_lanes(b, state, place, self.lanes)
        kept = b.select(b.fcmp_ordered("<", state, least), ir.Constant(row.type, None), row)
        left = self._bits(b.fcmp_ordered(">", kept, ir.Constant(row.type, None)))
        row = b.select(b.icmp_signed("==", left, ir.Constant(self.bits, 0)), row, kept)
        vectors.store_lanes(b, row, self._place("ACTIVE"), self.lanes)
        return row

    def _keep(self, kept: ir.Value, row: ir.Value) -> None:
        """Store the row of active lanes after all but some have left."""
        b = self.builder
        mask = b.bitcast(kept, ir.VectorType(TRUTH, self.lanes))
        vectors.store_lanes(b, b.select(mask, row, ir.Constant(row.type, None)), self._place("ACTIVE"), self.lanes)

    def _place(self, name: str) -> ir.Value:
        """Return the address of a row of the record."""
        return self.operations.element(self.record, INTEGER(int(self.constants[name])))

    def _first(self, x: Operand, active_bits: ir.Value) -> ir.Value:
        """Return the value of the first active lane, of lane 0 if there is none."""
        b = self.builder
        zeros = vectors.intrinsic(b.module, f"llvm.cttz.i{self.lanes}", self.bits, [self.bits, TRUTH])
        lane = b.and_(b.call(zeros, [active_bits, TRUTH(0)]), ir.Constant(self.bits, self.lanes - 1))
        return b.extract_element(x.value, b.zext(lane, vectors.INDEX))

    def _bits(self, mask: ir.Value) -> ir.Value:
        return self.builder.bitcast(mask, self.bits)

    def _count(self, bits: ir.Value) -> ir.Value:
        ones = vectors.intrinsic(self.builder.module, f"llvm.ctpop.i{self.lanes}", self.bits, [self.bits])
        return self.builder.zext(self.builder.call(ones, [bits]), INTEGER)
