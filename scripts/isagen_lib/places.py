# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lowest versions and targets that open gates."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple

from .checks import VERSIONS
from .matching import gate_open
from .model import Gate, Isa, Target, Version

FLOOR = Version(2, 3)  # from here on modules may say .address_size


class Place(NamedTuple):
    version: Version
    target: Target


class Places:
    """Finds the lowest version and target that open gates."""

    def __init__(self, isa: Isa) -> None:
        self.targets = {Target(int(e.name[3:].rstrip("af")), e.name[-1] if e.name[-1] in "af" else ""): e
                        for e in isa.targets}
        order = sorted(self.targets, key=lambda t: (t.suffix != "", t.sm < 20, t.sm, t.suffix))
        self.order = [Place(v, t) for floor in (True, False) for t in order for v in VERSIONS
                      if (v >= FLOOR) == floor and self.exists(Place(v, t))]
        self.known: Dict[Tuple[Gate, ...], Optional[Place]] = {}
        self.open: Dict[Tuple, List[bool]] = {}  # by the versions and targets of a gate; of each place in order

    def exists(self, place: Place) -> bool:
        return all(gate_open(gate, *place) for gate in self.targets[place.target].gates)

    def lowest(self, gates: Tuple[Gate, ...]) -> Optional[Place]:
        if gates not in self.known:
            columns = [self.opened_by(gate) for gate in gates]
            self.known[gates] = next((place for i, place in enumerate(self.order)
                                      if all(column[i] for column in columns)), None)
        return self.known[gates]

    def opened_by(self, gate: Gate) -> List[bool]:
        key = (gate.since, gate.until)
        if key not in self.open:
            self.open[key] = [gate_open(gate, *place) for place in self.order]
        return self.open[key]

    def version_below(self, place: Place) -> Optional[Place]:
        """The version before, if the target exists in it."""
        lower = [Place(v, place.target) for v in VERSIONS if v < place.version]
        return lower[-1] if lower and self.exists(lower[-1]) else None

    def targets_below(self, place: Place) -> List[Place]:
        """Plain targets that the version knows, the nearest first."""
        plain = [Place(place.version, t) for t in self.targets if not t.suffix and t.sm <= place.target.sm]
        return sorted((p for p in plain if p != place and self.exists(p)), reverse=True)
