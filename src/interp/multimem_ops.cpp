// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/multimem_ops.h"

#include <cstring>

#include "interp/atom_forms.h"
#include "interp/windows.h"
#include "isa/sem/multimem.h"

#define HEDDLE_LEVEL baseline_ops
#include "interp/memory_ops.h"

namespace heddle::interp {

using isa::Type;
using machine::Replicas;
using machine::TrapKind;
using sem::Atomop;

namespace {

/// The bytes that one lane moves.
struct Block {
  alignas(16) u8 bytes[16];
};

u32 bytes_of(const Op& op) { return op.runtime[0] * op.count; }

/// A block of 16 bytes is two words, because no element is larger.
Block load_block(u64 from, u32 bytes) {
  Block block;
  if (bytes == 4) {
    store_one(reinterpret_cast<u64>(block.bytes), machine::load_word<u32>(from));
  } else {
    for (u32 i = 0; i < bytes; i += 8)
      store_one(reinterpret_cast<u64>(block.bytes + i), machine::load_word<u64>(from + i));
  }
  return block;
}
void store_block(u64 to, const Block& block, u32 bytes) {
  if (bytes == 4) {
    machine::store_word(to, load_one<u32>(reinterpret_cast<u64>(block.bytes)));
  } else {
    for (u32 i = 0; i < bytes; i += 8)
      machine::store_word(to + i, load_one<u64>(reinterpret_cast<u64>(block.bytes + i)));
  }
}

Block from_registers(const Warp& warp, const Op& op, u32 lane) {
  Block block;
  const u32 each = op.runtime[0];
  for (u32 i = 0; i < op.count; ++i)
    std::memcpy(block.bytes + i * each, warp.at<const u8>(op.list[i]) + lane * each, each);
  return block;
}
void to_registers(const Warp& warp, const Op& op, u32 lane, const Block& block) {
  const u32 each = op.runtime[0];
  for (u32 i = 0; i < op.count; ++i)
    std::memcpy(warp.at<u8>(op.list[i]) + lane * each, block.bytes + i * each, each);
}

/// Calls `use(lane, replicas, offset in them)` for each lane. Most lanes have the replicas of the
/// lane before.
template <class Use>
void for_lanes(Warp& warp, const Op& op, MultimemAccess access, Use use) {
  Replicas replicas;
  replicas.addresses = {};
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 address = warp.at<const u64>(op.src[0])[lane];
    check_global(warp, lane, address, bytes_of(op), bytes_of(op));
    if (!replicas.addresses.contains(address)) replicas = replicas_at(warp, lane, address, access);
    use(lane, replicas, address - replicas.addresses.base);
  });
}

template <Atomop kOp, class T, class A>
void load_of(Warp& warp, const Op& op) {
  const u32 bytes = bytes_of(op);
  for_lanes(warp, op, MultimemAccess::read, [&](u32 lane, const Replicas& replicas, u64 offset) {
    Block blocks[machine::kMostReplicas];
    for (u32 i = 0; i < replicas.count; ++i)
      blocks[i] = load_block(replicas.base[i] + offset, bytes);
    Block result;
    for (u32 at = 0; at < bytes; at += sizeof(T)) {
      T values[machine::kMostReplicas];
      u32 i = 0;
      do std::memcpy(&values[i], blocks[i].bytes + at, sizeof(T));
      while (++i < replicas.count);  // there is at least one
      const T reduced = sem::reduce_replicas<kOp, T, A>(values, replicas.count);
      std::memcpy(result.bytes + at, &reduced, sizeof(T));
    }
    to_registers(warp, op, lane, result);
  });
}

/// The type of each number in a packed element: numbers are reduced one by one.
Type number_of(Type type) {
  switch (type) {
    case Type::f16x2:
      return Type::f16;
    case Type::bf16x2:
      return Type::bf16;
    case Type::e4m3x2:
    case Type::e4m3x4:
      return Type::e4m3;
    case Type::e5m2x2:
    case Type::e5m2x4:
      return Type::e5m2;
    default:
      return type;
  }
}

template <class T, class A>
Handler load_floating(u8 atomop) {
  switch (static_cast<Atomop>(atomop)) {
    case Atomop::add:
      return &load_of<Atomop::add, T, A>;
    case Atomop::min:
      return &load_of<Atomop::min, T, T>;
    case Atomop::max:
      return &load_of<Atomop::max, T, T>;
    default:
      return nullptr;
  }
}

}  // namespace

Replicas replicas_at(Warp& warp, u32 lane, u64 address, MultimemAccess access) {
  const Replicas found = warp.memory->multimem().find_again(address);
  if (!found.count)
    raise_trap(warp, TrapKind::illegal_address, lane, &address,
               warp.memory->multimem().why_missing(address));
  if (access == MultimemAccess::write && !found.is_writable) {
    raise_trap(warp, TrapKind::illegal_address, lane, &address,
               "these multimem addresses are mapped for reading only");
  }
  return found;
}

void multimem_store(Warp& warp, const Op& op) {
  for_lanes(warp, op, MultimemAccess::write, [&](u32 lane, const Replicas& replicas, u64 offset) {
    const Block block = from_registers(warp, op, lane);
    for (u32 i = 0; i < replicas.count; ++i)
      store_block(replicas.base[i] + offset, block, bytes_of(op));
  });
}

Handler multimem_load(u8 atomop, Type type, Type accumulator) {
  const bool f16 = accumulator == Type::f16, f32 = accumulator == Type::f32;
  switch (number_of(type)) {
    case Type::f16:
      return f32 ? load_floating<sem::f16, sem::f32>(atomop)
                 : load_floating<sem::f16, sem::f16>(atomop);
    case Type::bf16:
      return f32 ? load_floating<sem::bf16, sem::f32>(atomop)
                 : load_floating<sem::bf16, sem::bf16>(atomop);
    case Type::e4m3:
      return f16 ? load_floating<sem::SmallE4m3, sem::f16>(atomop)
                 : load_floating<sem::SmallE4m3, sem::SmallE4m3>(atomop);
    case Type::e5m2:
      return f16 ? load_floating<sem::SmallE5m2, sem::f16>(atomop)
                 : load_floating<sem::SmallE5m2, sem::SmallE5m2>(atomop);
    default:
      return with_operation(atomop, type,
                            []<Atomop kOp, class T>() -> Handler { return &load_of<kOp, T, T>; });
  }
}

void multimem_reduce(Warp& warp, const Op& op) {
  for_lanes(warp, op, MultimemAccess::write, [&](u32 lane, const Replicas& replicas, u64 offset) {
    const Block block = from_registers(warp, op, lane);
    for (u32 i = 0; i < replicas.count; ++i)
      machine::combine(*op.atomic, replicas.base[i] + offset, block.bytes, bytes_of(op), false);
  });
}

}  // namespace heddle::interp
