# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX for the instructions of model.py and surfaces.py. The kernel `k` has three parameters: a handle, the operands of its
threads, WORDS_IN words for each, and their results, WORDS_OUT words for each."""

from driver import WORDS_IN, WORDS_OUT
from model import Sampler

# How a kernel names its texture: by an object's value in a register, a .texref variable, the address of one, a kernel
# parameter, or a .texref and a .samplerref variable.
BINDINGS = ("object", "variable", "address", "sampler")

HEAD = """.version 8.5
.target sm_90{mode}
.address_size 64
{variables}
.visible .entry k(.param .u64 handle, .param .u64 in, .param .u64 out)
{{
.reg .b64 %a, %in, %out, %t64, %q<4>;
.reg .b32 %c<{words_in}>, %d<{words_out}>, %t;
.reg .b16 %h<4>;
.reg .f32 %f;
.reg .pred %p;
ld.param.u64 %a, [handle];
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
mov.u32 %t, %tid.x;
mad.wide.u32 %in, %t, {bytes_in}, %in;
mad.wide.u32 %out, %t, {bytes_out}, %out;
{loads}
{body}
{stores}
ret;
}}
"""


def kernel(body, variables="", independent=False, results=WORDS_OUT):
    """`body` uses %a, %c0 to %c19 and sets %d0 to %d7."""
    loads = "\n".join(f"ld.global.b32 %c{i}, [%in+{4 * i}];" for i in range(WORDS_IN))
    clears = "\n".join(f"mov.b32 %d{i}, 0;" for i in range(results))
    stores = "\n".join(f"st.global.b32 [%out+{4 * i}], %d{i};" for i in range(results))
    return HEAD.format(mode=", texmode_independent" if independent else "", variables=variables, words_in=WORDS_IN,
                       words_out=WORDS_OUT, bytes_in=4 * WORDS_IN, bytes_out=4 * WORDS_OUT, loads=f"{loads}\n{clears}", body=body,
                       stores=stores)


# Where the operands of tex and tld4 lie among the words of a thread.
COORDINATES, LOD, DX, DY, OFFSET, REFERENCE = 0, 4, 5, 9, 13, 17


def registers(first, count):
    return "{" + ", ".join(f"%c{first + i}" for i in range(count)) + "}"


def gradient_size(op):
    return 4 if op.cube or op.dimensions == 3 else op.dimensions


def lookup_name(op):
    """The spelling without operands."""
    if op.name == "tld4":
        return f"tld4.{op.component}.{op.geometry}.v4.{op.dtype}.f32"
    mip = f".{op.mip}" if op.mip else ""
    return f"tex{mip}.{op.geometry}.{'v2' if op.dtype == 'f16x2' else 'v4'}.{op.dtype}.{op.ctype}"


def lookup(op, binding, sampler=None):
    """The module for a tex or tld4. sampler: of the binding "sampler"."""
    coordinates = op.coordinates + op.layered
    size = 4 if coordinates == 3 else coordinates
    texture = {"object": "%a", "address": "%a"}.get(binding, "tex")
    handle = f"{texture}, smp" if binding == "sampler" else texture
    words = {"f16": "{%h0, %h1, %h2, %h3}", "f16x2": "{%d0, %d1}"}.get(op.dtype, "{%d0, %d1, %d2, %d3}")
    operands = [f"{words}{'|%p' if op.predicate else ''}", f"[{handle}, {registers(COORDINATES, size)}]"]
    if op.mip == "level":
        operands.append(f"%c{LOD}")
    if op.mip == "grad":
        operands += [registers(DX, gradient_size(op)), registers(DY, gradient_size(op))]
    if op.offset:
        operands.append(registers(OFFSET, {1: 1, 2: 2, 3: 4}[op.dimensions]))
    if op.compare:
        operands.append("%f")  # a register without a type would be an offset
    text = f"{lookup_name(op)} {', '.join(operands)};"
    if op.compare:
        text = f"mov.b32 %f, %c{REFERENCE};\n{text}"
    if binding == "address":
        text = "mov.u64 %a, tex;\n" + text
    if op.dtype == "f16":
        text += "".join(f"\ncvt.u32.u16 %d{i}, %h{i};" for i in range(4))
    if op.predicate:
        text += "\nselp.b32 %d4, 1, 0, %p;"
    return kernel(text, variables_of(binding, sampler), binding == "sampler")


def variables_of(binding, sampler):
    if binding == "object":
        return ""
    if binding == "surface":
        return ".global .surfref srf;"
    if binding != "sampler":
        return ".global .texref tex;"
    fields = [f"addr_mode_{i} = {mode}" for i, mode in enumerate(sampler.address)]
    fields += [f"filter_mode = {sampler.filter}", f"force_unnormalized_coords = {int(not sampler.normalized)}"]
    return f".global .texref tex;\n.global .samplerref smp = {{ {', '.join(fields)} }};"


# Where the operands of surface instructions lie among the words of a thread.
VALUES = 8


def access_name(op):
    """The spelling of a surface instruction without operands."""
    words = [op.name, op.addressing, op.operation, op.geometry, f"v{op.vector}" if op.vector > 1 else "", op.type, op.outside]
    return ".".join(word for word in words if word)


def access(op, binding):
    """The module for suld, sust or sured."""
    size = int(op.type[1:])
    coordinates = op.dimensions + op.layered
    where = f"[{'%a' if binding == 'object' else 'srf'}, {registers(COORDINATES, 4 if coordinates == 3 else coordinates)}]"
    prefix = {8: "%h", 16: "%h", 32: "%c" if op.name != "suld" else "%d", 64: "%q"}[size]
    first = VALUES if prefix == "%c" else 0
    values = [f"{prefix}{first + i}" for i in range(op.vector)]
    tuple_ = "{" + ", ".join(values) + "}" if op.name != "sured" else values[0]
    moves = []
    for i, value in enumerate(values):
        if op.name == "suld":
            moves += {8: [f"cvt.u32.u8 %d{i}, {value};"], 16: [f"cvt.u32.u16 %d{i}, {value};"], 32: [],
                      64: [f"mov.b64 {{%d{2 * i}, %d{2 * i + 1}}}, {value};"]}[size]
        else:
            moves += {8: [f"cvt.u16.u32 {value}, %c{VALUES + i};"], 16: [f"cvt.u16.u32 {value}, %c{VALUES + i};"], 32: [],
                      64: [f"mov.b64 {value}, {{%c{VALUES + 2 * i}, %c{VALUES + 2 * i + 1}}};"]}[size]
    if op.name == "suld":
        lines = [f"{access_name(op)} {tuple_}, {where};", *moves]
    else:
        lines = [*moves, f"{access_name(op)} {where}, {tuple_};"]
    return kernel("\n".join(lines), variables_of(binding, None))


TEXTURE_QUERIES = ("width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords", "array_size",
                   "num_mipmap_levels", "num_samples")
LEVEL_QUERIES = ("width", "height", "depth")
SAMPLER_QUERIES = ("filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2")
SURFACE_QUERIES = ("width", "height", "depth", "channel_data_type", "channel_order", "array_size", "memory_layout")


def query(instruction, names, binding="object", level=False, sampler=None):
    """The module for txq or suq: the answers to at most WORDS_OUT queries; the level is the thread's first word. sampler: the
    queries are for it, of the binding "sampler"."""
    texture = {"object": "%a", "surface": "srf"}.get(binding, "smp" if sampler else "tex")
    lod = ", %c0" if level else ""
    dot_level = ".level" if level else ""
    text = "\n".join(f"{instruction}{dot_level}.{name}.b32 %d{i}, [{texture}]{lod};" for i, name in enumerate(names))
    independent = binding == "sampler"
    return kernel(text, variables_of(binding, sampler or Sampler()), independent)
