# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of tcgen05.mma (PTX ISA 9.7.16.10): one CTA or a pair computes a tile.

Each CTA gets the bytes of its shared memory, and the words of its tensor memory, lane by lane. One thread multiplies.
"""

from array import array

import tensor_layouts as layouts
from formats import BITS
from instructions import Instruction, Tcgen05
from kernel import COPY, Kernel
from wgmma import SharedMatrix, swizzled

BEGIN = """\
.reg .b32 %lane, %cta, %tile, %rank, %word, %to, %value, %columns, %warp, d, a, metadata, scale_a, scale_b;
.reg .b32 r<32>, disabled<8>;
.reg .b64 %address, %tensor, %field, a_at, b_at;
.reg .pred more, accumulate, first, done;
mov.u32 %lane, %tid.x;
mov.u32 %cta, %ctaid.x;
div.u32 %tile, %cta, {ctas};
rem.u32 %rank, %cta, {ctas};
setp.eq.u32 first, %lane, 0;
@first mbarrier.init.shared.b64 [finished], 1;
""" + COPY.replace("%begin", "%cta") + """
ld.param.u64 %address, [p_disabled];
mad.wide.u32 %address, %tile, 32, %address;
shr.u32 %warp, %lane, 5;
setp.ne.u32 more, %warp, 0;
@more bra ALLOCATED;
tcgen05.alloc.cta_group::{ctas}.sync.aligned.shared::cta.b32 [place], 512;
ALLOCATED:
{barrier}
tcgen05.fence::after_thread_sync;
ld.shared.u32 d, [place];
add.u32 a, d, {a};
add.u32 metadata, d, {metadata};
add.u32 scale_a, d, {scale_a};
add.u32 scale_b, d, {scale_b};
shl.b32 %value, %warp, 21;
add.u32 %value, %value, d;
ld.param.u64 %tensor, [p_tensor];
mad.lo.u32 %to, %cta, 128, %lane;
mad.wide.u32 %tensor, %to, {lane_bytes}, %tensor;
mov.u32 %columns, 0;"""

# A loop over 32 columns at a time.
WRITE = """\
WRITE:
{loads}
tcgen05.st.sync.aligned.32x32b.x32.b32 [%value], {registers};
add.u32 %value, %value, 32;
add.u64 %tensor, %tensor, 128;
add.u32 %columns, %columns, 32;
setp.lt.u32 more, %columns, {columns};
@more bra WRITE;
tcgen05.wait::st.sync.aligned;
fence.proxy.async.shared::cta;
tcgen05.fence::before_thread_sync;
{barrier}
tcgen05.fence::after_thread_sync;"""

MULTIPLY = """\
setp.eq.u32 first, %lane, 0;
setp.eq.and.u32 first, %rank, 0, first;
add.u32 d, d, {lane};
add.u32 a, a, {lane};
add.u32 metadata, metadata, {lane};
@!first bra ISSUED;
{instruction}
{commit}
ISSUED:
mbarrier.try_wait.parity.shared.b64 done, [finished], 0;
@!done bra ISSUED;
tcgen05.fence::after_thread_sync;
sub.u32 d, d, {lane};
shl.b32 %value, %warp, 21;
add.u32 %value, %value, d;
ld.param.u64 %tensor, [p_d];
mad.wide.u32 %tensor, %to, {d_bytes}, %tensor;
mov.u32 %columns, 0;
READ:
tcgen05.ld.sync.aligned.32x32b.x32.b32 {registers}, [%value];
tcgen05.wait::ld.sync.aligned;
{stores}
add.u32 %value, %value, 32;
add.u64 %tensor, %tensor, 128;
add.u32 %columns, %columns, 32;
setp.lt.u32 more, %columns, {columns};
@more bra READ;
{barrier}
setp.ne.u32 more, %warp, 0;
@more bra END;
tcgen05.dealloc.cta_group::{ctas}.sync.aligned.b32 d, 512;
END:"""

ONE_BARRIER = "bar.sync 0;"
PAIR_BARRIER = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;"
COMMIT = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [finished];"
PAIR_COMMIT = """\
.reg .b16 both;
mov.u16 both, 3;
tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [finished], both;"""

SWIZZLE_CODES = {0: 0, 33: 1, 128: 2, 64: 4, 32: 6}
TYPE_CODES = {"f16": {"f16": 0, "bf16": 1}, "tf32": {"tf32": 2}, "i8": {"u8": 0, "s8": 1}, "mxf4": {"e2m1": 1},
              "mxf4nvf4": {"e2m1": 1}, "f8f6f4": {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5}}
TYPE_CODES["mxf8f6f4"] = TYPE_CODES["f8f6f4"]


class TensorSharedMatrix(SharedMatrix):
    """`name`: the type of elements; those of 4 and 6 bits are padded to 8 in blocks of 16, except in fp4 kinds."""

    def __init__(self, op, name, lines, k, number, start):
        t = op.tcgen05
        self.container, self.element = op.register_bits("ab"[number]), BITS[name]
        self.atoms_of_32 = t.swizzle[number] == 33
        self.second = start + lines // 8 * 1024 if t.absolute else None
        super().__init__(lines, k, self.container, 128 if self.atoms_of_32 else t.swizzle[number], t.transposed[number],
                         t.padding, start, t.base)

    def bit(self, r, k):
        outer, inner = (k, r) if self.transposed else (r, k)
        place = inner * self.container
        if self.element < self.container:
            place = inner // 16 * 128 + inner % 16 * self.element
        left = 128 - self.start % 128
        if self.second and place // 8 >= left:
            return self.swizzled(self.second - left + r % 8 * 128 + r // 8 * self.sbo + place // 8) * 8 + place % 8
        return self.swizzled(self.start + self.offset(outer, place // 8)) * 8 + place % 8

    def swizzled(self, address):
        if not self.atoms_of_32:
            return super().swizzled(address)
        # A pattern of four lines: SBO is the distance of groups of four k.
        return address ^ (address - self.base * 128 >> 2 & 0x60)

    def descriptor(self):
        code = 33 if self.atoms_of_32 else self.span
        sbo = self.sbo // 2 if self.atoms_of_32 else self.sbo
        lbo = 0 if self.second else self.lbo
        return (lbo >> 4 << 16 | sbo >> 4 << 32 | 1 << 46 | self.base << 49 | bool(self.second) << 52 |
                SWIZZLE_CODES[code] << 61)

    def write(self, memory, lines):
        for place, code in zip(self.places, (code for line in lines for code in line)):
            bits = code << place % 8
            for i in range((place % 8 + self.element + 7) // 8):
                memory[place // 8 + i] |= bits >> 8 * i & 255


class TensorMemoryD:
    """D in the tensor memory of the CTAs of a tile."""

    def __init__(self, op):
        self.columns = (op.n // layouts.parts_of(op) + 31) // 32 * 32
        self.cta_bytes = layouts.LANES * self.columns * 4
        self.tile_bytes = self.cta_bytes * op.tcgen05.ctas
        self.bits = BITS[op.d]
        self.places = [(m, n, *layouts.place_d(op, m, n)) for m in range(op.m) for n in range(op.n)]
        assert len(set(place[2:] for place in self.places)) == len(self.places)

    def unpacked(self, data, op):
        """The rows of D, and all words."""
        words = memoryview(data).cast("I")
        rows = [[None] * op.n for _ in range(op.m)]
        for m, n, *place in self.places:
            rows[m][n] = words[self.index(*place)] & (1 << self.bits) - 1
        return [rows], words

    def index(self, cta, lane, column):
        return (cta * layouts.LANES + lane) * self.columns + column


class Tcgen05Kernel(Kernel):
    def __init__(self, op):
        t = op.tcgen05
        self.op, self.d = op, TensorMemoryD(op)
        self.operands = {"d": self.d}
        self.shared, end = {}, 0
        if not t.a_in_tensor:
            self.shared["a"] = TensorSharedMatrix(op, op.a, op.m // t.ctas, op.stored_k, 0, 0)
            end = (max(self.shared["a"].places) // 8 + 1024) // 1024 * 1024
        self.b_lines = op.n // t.ctas + layouts.column_shift(op)
        lines = self.b_lines if not t.transposed[1] else -(-self.b_lines // 16) * 16
        self.shared["b"] = TensorSharedMatrix(op, op.b, lines, op.k, 1, end)
        self.bytes = (max(self.shared["b"].places) // 8 // 512 + 2) * 512
        self.parameters = ["memory", "tensor", "accumulate", "disabled", "d"]
        self.tiles, self.images, self.selectors = [], [], (0, 0)

    # ---- the text

    def text(self):
        return super().text().replace(".entry run", ".extern .shared .align 1024 .b8 memory[];\n.shared .align 8 .b64 finished;\n"
                                      ".shared .align 4 .b32 place;\n.entry run", 1)

    def body(self):
        op, t = self.op, self.op.tcgen05
        registers = "{" + ", ".join(f"r{i}" for i in range(32)) + "}"
        barrier = PAIR_BARRIER if t.ctas == 2 else ONE_BARRIER
        lines = [BEGIN.format(ctas=t.ctas, bytes=self.bytes, barrier=barrier, a=layouts.A_AT, metadata=layouts.METADATA_AT,
                              scale_a=layouts.SCALE_A_AT, scale_b=layouts.SCALE_B_AT, lane_bytes=layouts.COLUMNS * 4)]
        lines.append(WRITE.format(loads="\n".join(f"ld.u32 r{i}, [%tensor+{4 * i}];" for i in range(32)), registers=registers,
                                  columns=layouts.COLUMNS, barrier=barrier))
        for name, matrix in self.shared.items():
            lines += [f"mov.b64 {name}_at, {matrix.descriptor():#x};", *add_address(name, matrix.start, 0)]
            lines += add_address(name, matrix.second, 16) if matrix.second else []
        masks = 4 * t.ctas if t.masked else 0
        lines += [f"ld.u32 disabled{i}, [%address+{4 * i}];" for i in range(masks)]
        lines.append(MULTIPLY.format(instruction=f"{op.name} {', '.join(self.arguments(masks))};", registers=registers,
                                     commit=PAIR_COMMIT if t.ctas == 2 else COMMIT, d_bytes=self.d.columns * 4,
                                     stores="\n".join(f"st.u32 [%tensor+{4 * i}], r{i};" for i in range(32)),
                                     columns=self.d.columns, barrier=barrier, ctas=t.ctas, lane=t.half * 16 << 16))
        return lines

    def arguments(self, masks):
        op, t = self.op, self.op.tcgen05
        arguments = ["[d]", "[a]" if t.a_in_tensor else "a_at", "b_at"] + ["[metadata]"] * op.sparse
        if op.scale:
            arguments += [hex(descriptor(op, self.selectors)), "[scale_a]", "[scale_b]", "accumulate"]
        else:
            arguments += [hex(descriptor(op))]
            arguments += ["{" + ", ".join(f"disabled{i}" for i in range(masks)) + "}"] if masks else []
            arguments += ["accumulate"]
            arguments += [str(t.scale_d)] if t.scale_d else []
            arguments += [hex(t.zero_columns)] if t.zero_columns is not None else []
        return arguments

    def launch(self, tiles):
        ctas = self.op.tcgen05.ctas
        cluster = ["--cluster", str(ctas)] if ctas > 1 else []
        return ["--grid", str(tiles * ctas), "--block", "128", "--shared", str(self.bytes), *cluster]

    # ---- files

    def written(self, tiles):
        yield "memory", b"".join(self.memory(tile.cases[0].stored, cta) for tile in tiles
                                 for cta in range(self.op.tcgen05.ctas))
        self.tiles, self.images = tiles, [self.tensor(tile) for tile in tiles]
        yield "tensor", b"".join(image.tobytes() for image in self.images)
        yield "accumulate", array("I", [tile.accumulate for tile in tiles]).tobytes()
        yield "disabled", b"".join(array("I", tile.disabled).tobytes() for tile in tiles)

    def memory(self, stored, cta):
        memory = bytearray(self.bytes)
        for name, matrix in self.shared.items():
            lines = stored["ab".index(name)]
            each = len(lines) // self.op.tcgen05.ctas if name == "a" else self.op.n // self.op.tcgen05.ctas
            own = lines[cta * each:(cta + 1) * each] if self.op.tcgen05.ctas > 1 else lines
            matrix.write(memory, own)
        return bytes(memory)

    def tensor(self, tile):
        op, image = self.op, array("I", [0x7FC0DEAD]) * (layouts.LANES * layouts.COLUMNS * self.op.tcgen05.ctas)
        at = lambda cta, lane, column: (cta * layouts.LANES + lane) * layouts.COLUMNS + column
        stored_a, _, c = tile.cases[0].stored
        high = 0xABCD0000 if self.d.bits == 16 else 0
        for m, n, *place in self.d.places:
            image[at(*place)] = c[m][n] | high
        if op.tcgen05.a_in_tensor:
            bits, shift = op.register_bits("a"), op.register_shift("a")
            for m, row in enumerate(stored_a):
                for word in range(len(row) * bits // 32):
                    codes = row[word * 32 // bits:(word + 1) * 32 // bits]
                    value = sum(code << shift + i * bits for i, code in enumerate(codes))
                    for place in layouts.places_a(op, m, word):
                        image[at(*place)] = value
        for words in filter(None, (tile.metadata, tile.scale_a)):
            for place, word in words.items():
                image[at(*place)] = word
        return image

    # The bytes at which scales begin are in the descriptor, and differ from tile to tile.
    def run(self, heddle, folder, tiles, environment):
        if not self.op.scale:
            return self.checked(*super().run(heddle, folder, tiles, environment))
        results = []
        for tile in tiles:
            self.selectors = tile.selectors
            found, message = self.checked(*super().run(heddle, folder, [tile], environment))
            if found is None:
                return found, message
            results += found
        return results, ""

    def checked(self, results, message):
        """Fails if a lane changed that is not to change."""
        if results is None:
            return results, message
        rows = []
        for tile, image, (found, words) in zip(self.tiles, self.images, results):
            d = self.d
            left = {(cta, lane, column) for cta in range(self.op.tcgen05.ctas) for lane in range(layouts.LANES)
                    for column in range(d.columns)} - {tuple(place[2:]) for place in d.places}
            for m, n, cta, lane, column in d.places:
                if self.op.tcgen05.masked and tile.disabled[cta * 4 + lane // 32] >> lane % 32 & 1:
                    found[0][m][n] = None
                    left.add((cta, lane, column))
            for cta, lane, column in left:
                have, old = words[d.index(cta, lane, column)], image[(cta * 128 + lane) * layouts.COLUMNS + column]
                if have != old:
                    return None, f"CTA {cta}, lane {lane}, column {column} has changed from {old:#x} to {have:#x}"
            rows.append(found)
        return rows, ""


def add_address(name, offset, bit):
    """Adds the address of a byte of `memory` to a field of a descriptor."""
    return ["mov.u32 %word, memory;", f"add.u32 %word, %word, {offset};", "bfe.u32 %word, %word, 4, 14;",
            "cvt.u64.u32 %field, %word;", f"shl.b64 %field, %field, {bit};", f"add.u64 {name}_at, {name}_at, %field;"]


# ---- descriptors


def descriptor(op, selectors=(0, 0)):
    """The instruction descriptor: PTX ISA 9.7.16.4.2."""
    t, codes = op.tcgen05, TYPE_CODES[op.kind]
    bits = op.sparse << 2 | codes[op.a] << 7 | codes[op.b] << 10 | op.n >> 3 << 17
    bits |= t.negated[0] << 13 | t.negated[1] << 14 | t.transposed[0] << 15 | t.transposed[1] << 16
    if op.scale:
        k96 = op.k == 96
        return bits | selectors[1] << 4 | (op.scale == "ue8m0") << 23 | op.m >> 7 << 27 | selectors[0] << 29 | k96 << 31
    return bits | op.selector | op.satfinite << 3 | {"f16": 0, "f32": 1, "s32": 2}[op.d] << 4 | op.m >> 4 << 24


# ---- the instructions that are tested


def made(kind, d, a, b, m, n, sparse=False, selector=0, satfinite=False, scale=None, vector="", k96=False, **options):
    t = Tcgen05(**options)
    k = {"f16": 16, "tf32": 8, "mxf4": 64, "mxf4nvf4": 64}.get(kind, 32)
    k = 96 if k96 else k * (1 + sparse)
    name = f"tcgen05.mma{'.ws' * t.ws}{'.sp' * sparse}.cta_group::{t.ctas}.kind::{kind}"
    name += f".block_scale{vector}" if scale else ""
    name += ".ashift" * t.shifts_a + (f".collector::{t.collector}" if t.collector else "")
    size = 16 if vector in (".scale_vec::4X", ".block16") else 32
    scale_vec = k // (1 + sparse) // size if scale else 0
    c = "f32" if options.get("scale_d") else d
    target = "sm_103a" if k96 else "sm_100a"
    return Instruction(name, "8.8", target, name, f"m{m}n{n}k{k}", m, n, k, d, a, b, c, "", "", sparse, selector, kind,
                       scale, scale_vec, False, satfinite, None, None, tcgen05=t)


NARROW = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")


def variant(number):
    """Places of matrices, and negations."""
    return {"swizzle": ((0, 128), (64, 32), (128, 0), (32, 64))[number % 4], "padding": number // 2 % 4,
            "negated": (number % 2 == 1, number % 3 == 1)}


SHAPES = ((128, 16), (64, 64), (128, 64), (64, 8), (128, 256))  # M, N
TYPES = [("f16", *types) for types in (("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"))]
TYPES += [("tf32", "f32", "tf32", "tf32")]
TYPES += [("f8f6f4", "f16" if a == b else "f32", a, b) for a in NARROW for b in NARROW]
INTEGERS = [("i8", "s32", a, b) for a in ("u8", "s8") for b in ("u8", "s8")]


def tcgen05_instructions():
    return [*plain(), *transposed(), *other_operands(), *scaled(), *sparse(), *weight_stationary(), *paired(),
            *based(), *shifted(), *collected()]


def plain():
    """Dense, for one CTA, with both matrices in shared memory."""
    for number, types in enumerate(TYPES + INTEGERS):
        for m, n in SHAPES if types[0] != "f8f6f4" else SHAPES[number % 4:number % 4 + 1]:
            number += 1
            options = variant(number)
            if types[0] == "i8":
                options.update(negated=(False, False), satfinite=number % 2 == 1)
            yield made(*types, m, n, half=int(m == 64) * number // 2 % 2, **options)


def transposed():
    """MN-major: all types of 8 and 16 bits with each swizzle; tf32 with atoms of 32 bytes only."""
    both = ((True, False), (False, True), (True, True))
    for number, types in enumerate((("f16", "f32", "f16", "f16"), ("f16", "f32", "bf16", "bf16"), ("f8f6f4", "f32", "e4m3", "e5m2"),
                                    ("f8f6f4", "f32", "e2m3", "e2m1"), ("f8f6f4", "f32", "e2m1", "e3m2"), ("i8", "s32", "s8", "u8"))):
        for other, swizzle in enumerate((0, 32, 64, 128)):
            yield made(*types, *((128, 64), (64, 16), (128, 256))[(number + other) % 3], swizzle=(swizzle, swizzle),
                       transposed=both[(number + other) % 3], padding=other)
    for number, which in enumerate(both):
        swizzle = tuple(33 if yes else 128 for yes in which)
        yield made("tf32", "f32", "tf32", "tf32", (128, 64)[number % 2], 64, swizzle=swizzle, transposed=which, padding=number)


def other_operands():
    """A in tensor memory; disabled lanes; a scale of D."""
    for number, types in enumerate(TYPES[:9] + TYPES[-3:] + INTEGERS[:2]):
        for m in (64, 128):
            options = variant(number)
            if types[0] == "i8":
                options["negated"] = (False, False)
            yield made(*types, m, 32, a_in_tensor=True, half=int(m == 64) * number % 2, **options)
            yield made(*types, m, 16, a_in_tensor=number % 2 == 1, half=int(m == 64) * (number + 1) % 2, masked=True, **options)
    for types in TYPES[:4]:
        for scale in (1, 15):
            yield made(*types, 128, 32, scale_d=scale)


SCALED = [("mxf8f6f4", "ue8m0", vector) for vector in ("", ".scale_vec::1X", ".block32")]
SCALED += [("mxf4", "ue8m0", vector) for vector in ("", ".scale_vec::2X", ".block32")]
SCALED += [("mxf4nvf4", "ue8m0", ".scale_vec::2X"), ("mxf4nvf4", "ue8m0", ".block16"), ("mxf4nvf4", "ue4m3", ".scale_vec::4X")]


def scaled_types():
    for number, (kind, scale, vector) in enumerate(SCALED):
        pairs = [(a, NARROW[(i + number) % 5]) for i, a in enumerate(NARROW)] if kind == "mxf8f6f4" else [("e2m1", "e2m1")]
        for a, b in pairs:
            yield (kind, "f32", a, b), {"scale": scale, "vector": vector}


def scaled():
    for number, (types, options) in enumerate(scaled_types()):
        for n in (16, 64, 256)[number % 2::2]:
            yield made(*types, 128, n, a_in_tensor=number % 3 == 0, **variant(number), **options)
    for kind, scale, vector in (("mxf4", "ue8m0", ".block32"), ("mxf4nvf4", "ue8m0", ".block16"), ("mxf4nvf4", "ue4m3", ".block16")):
        for n in (64, 48):
            yield made(kind, "f32", "e2m1", "e2m1", 128, n, scale=scale, vector=vector, k96=True)
        yield made(kind, "f32", "e2m1", "e2m1", 128, 32, scale=scale, vector=vector, k96=True, swizzle=(128, 128),
                   padding=3, absolute=True)


def sparse_variant(number):
    """Lines of B have 64 bytes."""
    return {**variant(number), "swizzle": ((0, 128), (64, 64), (128, 0), (32, 64))[number % 4]}


def sparse():
    for number, types in enumerate(TYPES[:9] + INTEGERS[1:3]):
        for m, n in ((128, 16), (64, 64)):
            options = sparse_variant(number)
            if types[0] == "i8":
                options["negated"] = (False, False)
            selector = number % 4 if types[0] in ("f16", "tf32") else 0
            yield made(*types, m, n, sparse=True, selector=selector, a_in_tensor=(number + n) % 3 == 0,
                       half=int(m == 64) * number % 2, **options)
    for number, (types, options) in enumerate(scaled_types()):
        yield made(*types, 128, 32, sparse=True, a_in_tensor=number % 3 == 0, **sparse_variant(number), **options)


def mask(starts=(0, 0, 0, 0), firsts=(0, 0, 0, 0), nonzero=1, zeros=3, used=4, shift=0):
    bits = sum(start << 8 * i for i, start in enumerate(starts)) + sum(first << 32 + i for i, first in enumerate(firsts))
    return bits | nonzero << 39 | zeros - 1 << 40 | used - 1 << 48 | shift << 56


MASKS = (None, mask(), mask((3, 1, 2, 0), (1, 0, 1, 0), zeros=5, used=2), mask(nonzero=0, shift=8),
         mask((0, 1, 2, 1), (1, 1, 0, 0), shift=16))


def weight_stationary():
    for number, types in enumerate(TYPES[:8] + INTEGERS[1:2]):
        for m in (32, 64, 128):
            number += 1
            is_sparse = number % 4 == 3
            options = sparse_variant(number) if is_sparse else variant(number)
            if types[0] == "i8":
                options["negated"] = (False, False)
            yield made(*types, m, (64, 128)[number % 2], ws=True, zero_columns=MASKS[number % 5], sparse=is_sparse,
                       a_in_tensor=number % 3 == 0, **options)


def paired():
    for number, types in enumerate(TYPES[:8] + INTEGERS[:1]):
        for m in (128, 256):
            for is_sparse in (False, True):
                number += 1
                options = sparse_variant(number) if is_sparse else variant(number)
                if types[0] == "i8":
                    options["negated"] = (False, False)
                yield made(*types, m, (32, 64)[number // 2 % 2], ctas=2, sparse=is_sparse, a_in_tensor=number % 3 == 0,
                           masked=number % 5 == 0, half=int(m == 128 and is_sparse) * number % 2, **options)
    for number, (types, options) in enumerate(scaled_types()):
        m, is_sparse = ((128, False), (256, False), (256, True))[number % 3]
        yield made(*types, m, 64, ctas=2, a_in_tensor=number % 2 == 0, sparse=is_sparse,
                   **(sparse_variant if is_sparse else variant)(number), **options)


def based():
    """Swizzling patterns that do not begin where a multiple of their size is."""
    for number, types in enumerate(TYPES[:6]):
        for span in (32, 64, 128):
            number += 1
            yield made(*types, (64, 128)[number % 2], 32, swizzle=(span, 128), padding=number % 4, base=1 + number % 7)
        yield made(*types, 128, 32, swizzle=(33, 33), base=1 + number % 7)
    for span in (32, 64, 128):
        yield made("f16", "f32", "f16", "f16", 128, 64, swizzle=(span, span), transposed=(True, True), base=5)


def shifted():
    for number, types in enumerate(TYPES[:5] + INTEGERS[:1]):
        for ctas, m in ((1, 128), (2, 128), (2, 256)):
            yield made(*types, m, 32, ctas=ctas, a_in_tensor=True, shifts_a=True,
                       collector=("", "a::lastuse", "a::discard")[number % 3])


USES = ("fill", "use", "lastuse", "discard")


def collected():
    """A collector keeps what memory has, so that a use of it changes no result."""
    for number, types in enumerate(TYPES[:4] + INTEGERS[:1]):
        for use in USES:
            yield made(*types, 128, 32, a_in_tensor=number % 2 == 1, collector=f"a::{use}")
    for use in USES:
        yield made("mxf4", "f32", "e2m1", "e2m1", 128, 32, scale="ue8m0", vector=".block32", collector=f"a::{use}")
        for buffer in range(4):
            yield made("f16", "f32", "f16", "f16", (32, 64, 128)[buffer % 3], 64, ws=True, collector=f"b{buffer}::{use}")
