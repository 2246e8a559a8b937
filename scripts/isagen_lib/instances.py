# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Picks combinations of modifiers that together show every choice and every row of a form."""

from __future__ import annotations

from typing import List

from .model import ANY, Form
from .search import complete


def covering(form: Form) -> List[List[int]]:
    """Legal slot values such that every choice that can be legal, and every row, is in at least one."""
    if form.covering is not None:
        return form.covering
    found: List[List[int]] = []

    def add(fixed: dict) -> None:
        values = complete(form, fixed)
        if values is not None and values not in found:
            found.append(values)

    add({})
    for row in form.rows:
        add({slot: cell for slot, cell in zip(form.row_slots, row) if cell != ANY})
    for index, slot in enumerate(form.slots):
        for value in slot.values():
            if not any(values[index] == value for values in found):
                add({index: value})
    form.covering = found
    return found
