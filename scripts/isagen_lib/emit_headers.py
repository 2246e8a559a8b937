# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""isa/types.h, isa/groups.h, isa/sem_ids.h, isa/special_registers.h."""

from __future__ import annotations

from .cpp import HEADER, enum_name, identifier
from .model import Entry, Isa

CLASS_NAMES = {"unsigned": "unsigned_", "signed": "signed_", "float": "float_"}


def types_h(isa: Isa) -> str:
    names = "\n".join(f"  {t.name}," for t in isa.types.values())
    infos = "\n".join(f'    {{"{t.name}", {t.bits}, TypeClass::{CLASS_NAMES.get(t.cls, t.cls)}}},'
                      for t in isa.types.values())
    return HEADER + f"""#pragma once

#include <string_view>

#include "base/types.h"

namespace heddle::isa {{

/// A type as it is written after an opcode or in a declaration (PTX ISA 5.2). The order is that of the *.isa files.
enum class Type : u8 {{
  none,
{names}
}};

enum class TypeClass : u8 {{ none, bits, unsigned_, signed_, float_, packed, pred, opaque }};

struct TypeInfo {{
  std::string_view name;  ///< without the dot
  u16 bits;
  TypeClass cls;
}};

inline constexpr TypeInfo kTypeInfos[] = {{
    {{"", 0, TypeClass::none}},
{infos}
}};

inline constexpr const TypeInfo& type_info(Type type) {{ return kTypeInfos[static_cast<u8>(type)]; }}

/// The type of that name (no dot), or Type::none.
Type find_type(std::string_view name);

}}  // namespace heddle::isa

namespace heddle::sem {{
using isa::Type;
}}
"""


def groups_h(isa: Isa) -> str:
    enums = []
    for group in isa.groups.values():
        words = ", ".join(["none"] + [identifier(word) for word in group.words])
        enums.append(f"enum class {enum_name(group.name)} : u8 {{ {words} }};  // {group.loc.file.rpartition('/')[2]}")
    return HEADER + """#pragma once

#include "base/types.h"
#include "isa/types.h"

/// The modifier groups. The value is that of the form's slot; `none`: no word of the group is written.
namespace heddle::sem {

""" + "\n".join(enums) + """

}  // namespace heddle::sem

namespace heddle::isa {
""" + "".join(f"using sem::{enum_name(group.name)};\n" for group in isa.groups.values()) + """}  // namespace heddle::isa
"""


def sem_ids(isa: Isa) -> list:
    return sorted({form.sem for form in isa.forms if form.sem_kind in ("memory", "warp", "engine")})


def effects(isa: Isa, name: str) -> str:
    words = isa.effects[name].words if name in isa.effects else ()
    fields = [f".{kind} = {kind.capitalize()}::{identifier(word)}"
              for kind, choices in (("access", ("load", "store", "atomic")), ("flow", ("branch", "call", "leave")))
              for word in words if word in choices]
    fields += [f".{word} = true" for word in ("barrier", "waits", "polls", "signals", "pure", "stack", "uniform", "aligned", "box")
               if word in words]
    return "{" + ", ".join(fields) + "}"


def sem_ids_h(isa: Isa) -> str:
    names = "\n".join(f"  {identifier(name)}," for name in sem_ids(isa))
    texts = "\n".join(f'    "{name}",' for name in sem_ids(isa))
    infos = "\n".join(f"    {effects(isa, name)},  // {name}" for name in sem_ids(isa))
    return HEADER + f"""#pragma once

#include <string_view>

#include "base/types.h"

namespace heddle::isa {{

/// The handlers that the `sem memory`, `sem warp` and `sem engine` lines name.
enum class SemId : u16 {{
  none,
{names}
}};

/// By SemId.
inline constexpr std::string_view kSemNames[] = {{
    "none",
{texts}
}};

/// How an instruction accesses memory at the address `a`.
enum class Access : u8 {{ none, load, store, atomic }};

/// Where a thread goes on.
enum class Flow : u8 {{
  next,
  branch,
  call,
  leave,  ///< the function or the kernel
}};

/// What the handler of an instruction does (the `effect` lines of the tables). Lane functions have no effect.
struct Effects {{
  Access access = Access::none;
  Flow flow = Flow::next;
  bool barrier = false;  ///< of the CTA
  bool waits = false;    ///< for other threads
  bool polls = false;    ///< its result tells whether other threads have come to some point
  bool signals = false;  ///< another thread may wait or poll for it
  bool pure = false;     ///< it reads and writes registers only
  bool stack = false;    ///< it reads or moves the stack pointer of the thread
  bool uniform = false;  ///< of the warp: its result is the same for all who take part
  bool aligned = false;  ///< all threads of the warp execute it together, as if a membermask named them
  bool box = false;      ///< a box of a tensor lies at its operand in shared memory, `dst` or `src`
}};

/// By SemId.
inline constexpr Effects kEffects[] = {{
    {{}},  // none
{infos}
}};

constexpr const Effects& effects_of(SemId sem) {{ return kEffects[static_cast<u16>(sem)]; }}

}}  // namespace heddle::isa
"""


def handlers_inc(isa: Isa) -> str:
    names = sorted({form.sem for form in isa.forms if form.sem_kind in ("memory", "engine")})
    return HEADER + """//
// HEDDLE_HANDLER(name): a handler that a `sem memory` or `sem engine` line names, SemId::name.
""" + "".join(f"HEDDLE_HANDLER({identifier(name)})\n" for name in names)


def register_identifier(entry: Entry) -> str:
    return identifier(entry.name[1:])


def special_registers_h(isa: Isa) -> str:
    names = "\n".join(f"  {register_identifier(entry)}," for entry in isa.special_registers)
    return HEADER + f"""#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "isa/gate.h"
#include "isa/types.h"

namespace heddle::isa {{

/// The special registers (PTX ISA 10).
enum class SpecialRegister : u8 {{
  none,
{names}
}};

struct SpecialRegisterInfo {{
  std::string_view name;  ///< "%tid"
  std::string_view summary;
  std::string_view manual;
  Type type;
  u8 vector_length;               ///< 4 for %tid: it has .x .y .z .w
  std::span<const Type> legacy;   ///< narrower types that old code may read it as
  std::span<const Gate> gates;    ///< all must be open
}};

/// In the order of the enumerators, from the first after `none`.
std::span<const SpecialRegisterInfo> special_registers();
const SpecialRegisterInfo& special_register_info(SpecialRegister which);  ///< `which` is not none

struct SpecialRegisterName {{
  SpecialRegister which;
  s8 component;  ///< 0 to 3 for .x to .w; -1: the register as a whole
}};

/// "%tid.x", "%tid", "%laneid"; nothing when there is no such register or it has no such component.
std::optional<SpecialRegisterName> find_special_register(std::string_view name);

}}  // namespace heddle::isa
"""
