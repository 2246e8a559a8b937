# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All legal mma, mma.sp, wmma.mma and wgmma.mma_async instructions, from the tables in src/isa."""

import re
import sys
from pathlib import Path
from typing import NamedTuple, Optional, Tuple

from formats import BITS

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))

import isagen  # noqa: E402
from isagen_lib.matching import applicable_gates  # noqa: E402
from isagen_lib.model import Problems  # noqa: E402
from isagen_lib.places import Places  # noqa: E402
from isagen_lib.search import completions  # noqa: E402
from isagen_lib.writer import Writer  # noqa: E402


class Wgmma(NamedTuple):
    """What a wgmma has beside its name."""

    a_in_registers: bool
    swizzle: Tuple[int, int]  # of A and B: bytes; 0: none
    transposed: Tuple[bool, bool]
    negated: Tuple[bool, bool]
    padding: int  # 0 to 3: of the strides
    base: int  # the base offset of both, where they are swizzled


class Tcgen05(NamedTuple):
    """What a tcgen05.mma has beside its name."""

    ctas: int = 1
    a_in_tensor: bool = False
    ws: bool = False
    swizzle: Tuple[int, int] = (0, 0)  # of A and B: bytes; 0: none; 33: 128 with atoms of 32
    transposed: Tuple[bool, bool] = (False, False)
    negated: Tuple[bool, bool] = (False, False)
    padding: int = 0  # 0 to 3: of the strides
    half: int = 0  # 1: the upper 16 of 32 lanes, where a layout has only half of them
    masked: bool = False  # some lanes of D are disabled
    scale_d: int = 0
    zero_columns: Optional[int] = None  # a descriptor of 9.7.16.4.3
    base: int = 0  # the base offset of both matrices
    absolute: bool = False  # the second part of a row is at an address of its own: 9.7.16.3.1.2
    shifts_a: bool = False
    collector: str = ""


class Instruction(NamedTuple):
    name: str
    version: str
    target: str
    syntax: str  # of its form
    shape: str
    m: int
    n: int
    k: int
    d: str
    a: str
    b: str
    c: str
    alayout: str
    blayout: str
    sparse: bool
    selector: int  # of the lanes with metadata
    kind: str
    scale: Optional[str]
    scale_vec: int
    immediates: bool  # the selectors of scales are immediates rather than registers
    satfinite: bool
    rnd: Optional[str]
    bitop: Optional[str]
    wgmma: Optional[Wgmma] = None
    tcgen05: Optional[Tcgen05] = None

    def __str__(self):
        extra = f" selector {self.selector}" if self.sparse else ""
        if self.wgmma:
            w = self.wgmma
            extra += f" {'registers' if w.a_in_registers else 'shared'} swizzle {w.swizzle} transposed {w.transposed}"
            extra += f" negated {w.negated} padding {w.padding} base {w.base}"
        if self.tcgen05:
            changed = {name: value for name, value in self.tcgen05._asdict().items() if value != Tcgen05._field_defaults[name]}
            extra += f" {self.m}x{self.n}x{self.k} {self.a} {self.b} {self.d} {self.scale or ''} {changed}"
        return self.name + extra + (" immediates" if self.immediates else "")

    @property
    def lanes(self):
        return 128 if self.wgmma or self.tcgen05 else 32

    @property
    def is_quarters(self):
        """mma.m8n8k4 of f16: four products, each of eight lanes."""
        return self.shape == "m8n8k4" and self.a == "f16"

    @property
    def unit(self):
        """mma, wmma, wgmma or tcgen05."""
        return self.name.split(".")[0]

    @property
    def products(self):
        return 4 if self.is_quarters else 1

    @property
    def stored_k(self):
        """The elements of a row of A that are in registers."""
        return self.k // 2 if self.sparse else self.k

    def register_bits(self, matrix):
        """The bits that an element has in a register."""
        bits = BITS[getattr(self, matrix)]
        return 8 if bits < 8 and self.kind in ("f8f6f4", "mxf8f6f4") else bits

    def register_shift(self, matrix):
        """Where the code begins there."""
        return 2 if BITS[getattr(self, matrix)] == 4 and self.register_bits(matrix) == 8 else 0


TYPE = re.compile(r"(?:f64|f32|f16|bf16|tf32|e4m3|e5m2|e3m2|e2m3|e2m1|s32|[su][84]|b1)$")
SCALE_VECTOR = {"mxf8f6f4": 1, "mxf4": 2}


def parsed(name, version, target, syntax, selector, immediates):
    words = name.split(".")
    shape = next(word for word in words if re.match(r"m\d+n\d+k\d+$", word))
    m, n, k = map(int, re.findall(r"\d+", shape))
    types = [word for word in words if TYPE.match(word)]
    d, a, b, c = {2: [types[0], "f16", "f16", types[1]], 3: types + types[:1], 4: types}[len(types)]
    kind = next((word[6:] for word in words if word.startswith("kind::")), "")
    vector = next((int(word[11]) for word in words if word.startswith("scale_vec::")), SCALE_VECTOR.get(kind, 0))
    alayout, blayout = [word for word in words if word in ("row", "col")] or ("row", "col")
    one_of = lambda known: next((word for word in words if word in known), None)
    return Instruction(name, version, target, syntax, shape, m, n, k, d, a, b, c, alayout, blayout, ".sp" in name,
                       selector, kind, one_of(("ue8m0", "ue4m3")), vector, immediates, "satfinite" in words,
                       one_of(("rn", "rz", "rm", "rp")), one_of(("xor", "and")))


def load():
    problems = Problems()
    isa_folder = ROOT / "src/isa"
    sources = [(str(path), path.read_text(encoding="utf-8")) for path in sorted(isa_folder.glob("*.isa"))]
    isa = isagen.load(sources, isa_folder / "sem", problems)
    if problems.errors:
        sys.exit("the tables have errors; run isagen.py")
    return isa


def is_old(name):
    """Whether only old PTX versions have it: without `.aligned`, or `.satfinite` of floating point."""
    return ".aligned" not in name or (".satfinite" in name and ".s32" not in name)


# The N with which wgmma is tested, and the variants of each.
WGMMA_VARIANTS = {8: (0, 1, 2, 3), 24: (1,), 96: (2,), 256: (3,)}


def is_beside(name):
    """Whether it is a wgmma of another N."""
    return "wgmma" in name and int(re.search(r"n(\d+)k", name)[1]) not in WGMMA_VARIANTS


def wgmmas(op, form):
    """The instruction with different layouts of its matrices: each swizzle of B, and what varies beside it."""
    operands = {operand.name: operand for operand in form.operands}
    registers = operands["a"].vector_length > 1
    for number in WGMMA_VARIANTS[op.n]:
        transposed = ("trans_a" in operands and number % 2 == 1, "trans_b" in operands and number != 1)
        negated = ("negate_a" in operands and number % 2 == 1, "negate_b" in operands and number % 3 == 2)
        # The K of a sparse instruction has 64 bytes, which do not fit into a line of 32.
        swizzles = (64, 32, 0, 128)[number], (0, 64 if op.sparse else 32, 64, 128)[number]
        yield op._replace(wgmma=Wgmma(registers, swizzles, transposed, negated, number, (0, 0, 3, 5)[number]))


def selector_kinds(form, name):
    """Whether the selectors of scales are immediates: where `.scale_vec` is optional, they are if it is left out."""
    if "block_scale" not in name:
        return (False,)
    optional = "{.scale_vec" in form.syntax
    return ("scale_vec" not in name,) if optional else (False, True)


def instructions():
    isa = load()
    places = Places(isa)
    found = []
    for form in isa.forms:
        if not form.syntax.startswith(("mma.", "wmma.mma.", "wgmma.mma_async.")):
            continue
        selector = next((operand for operand in form.operands if operand.name in ("f", "sel")), None)
        for values in completions(form, {}):
            place = places.lowest(tuple(applicable_gates(form, values, True)))
            name = Writer(isa, form, values, True).mnemonic()
            if is_old(name) or is_beside(name):
                continue
            for selected in range(selector.imm_max + 1 if selector else 1):
                for immediates in selector_kinds(form, name):
                    op = parsed(name, str(place.version), str(place.target), form.syntax, selected, immediates)
                    found += wgmmas(op, form) if "wgmma" in name else [op]
    return found


if __name__ == "__main__":
    for instruction in instructions():
        print(instruction.version, instruction.target, instruction)
