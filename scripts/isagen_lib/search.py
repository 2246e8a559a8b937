# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The slot values that a form allows, by its rows and rules; the search for a legal combination."""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Sequence

from .model import ANY, Condition, Form, Rule


def row_fits(form: Form, row: Sequence[int], values: Sequence[Optional[int]]) -> bool:
    """True unless an assigned slot contradicts the row."""
    for slot, cell in zip(form.row_slots, row):
        if cell != ANY and values[slot] is not None and values[slot] != cell:
            return False
    return True


def rows_fit(form: Form, values: Sequence[Optional[int]]) -> bool:
    return not form.rows or any(row_fits(form, row, values) for row in form.rows)


def rule_fits(rule: Rule, values: Sequence[Optional[int]]) -> bool:
    """True unless the assigned slots already break the rule."""
    conditions = rule.when + rule.then
    if any(values[condition.slot] is None for condition in conditions):
        return True
    if all(condition.holds(values) for condition in rule.when):
        return all(condition.holds(values) for condition in rule.then)
    return True


def legal(form: Form, values: Sequence[int]) -> bool:
    return rows_fit(form, values) and all(rule_fits(rule, values) for rule in form.rules)


def completions(form: Form, fixed: Dict[int, int], conditions: Sequence[Condition] = (),
                rules: Optional[Sequence[Rule]] = None) -> Iterator[List[int]]:
    """Slot values that have `fixed` and meet `conditions`, the rows and `rules` (the form's), simplest first."""
    used_rules = form.rules if rules is None else rules
    constrained = set(form.row_slots) | {c.slot for r in used_rules for c in r.when + r.then}
    constrained |= {condition.slot for condition in conditions}
    order = sorted(range(len(form.slots)), key=lambda i: (i not in fixed, i not in constrained, i))
    values: List[Optional[int]] = [None] * len(form.slots)

    def consistent() -> bool:
        return (rows_fit(form, values) and all(rule_fits(rule, values) for rule in used_rules) and
                all(values[c.slot] is None or c.holds(values) for c in conditions))

    def assign(position: int) -> Iterator[List[int]]:
        if position == len(order):
            yield list(values)  # type: ignore[arg-type]
            return
        slot = order[position]
        for value in [fixed[slot]] if slot in fixed else form.slots[slot].values():
            values[slot] = value
            if (slot not in constrained and slot not in fixed) or consistent():
                yield from assign(position + 1)
        values[slot] = None

    return assign(0)


def complete(form: Form, fixed: Dict[int, int], conditions: Sequence[Condition] = (),
             rules: Optional[Sequence[Rule]] = None) -> Optional[List[int]]:
    return next(completions(form, fixed, conditions, rules), None)


def derive(form: Form, values: Sequence[Optional[int]]) -> List[List[int]]:
    """All ways to fill the derived slots of `values` (None there) from the rows."""
    if None not in values:
        return [list(values)] if rows_fit(form, values) else []  # type: ignore[arg-type]
    results: List[List[int]] = []
    for row in form.rows:
        if row_fits(form, row, values):
            filled = list(values)
            for slot, cell in zip(form.row_slots, row):
                if filled[slot] is None:
                    filled[slot] = cell
            if filled not in results:
                results.append(filled)  # type: ignore[arg-type]
    return results
