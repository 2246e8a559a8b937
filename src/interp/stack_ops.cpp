// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/stack_ops.h"

#include "isa/sem/lanes.h"

namespace heddle::interp {
namespace {

template <class T>
void save(Warp& warp, const Op& op) {
  sem::for_each_lane(
      warp.mask, [&](u32 lane) { warp.at<T>(op.dst[0])[lane] = static_cast<T>(warp.stack[lane]); });
}

template <class T>
void restore(Warp& warp, const Op& op) {
  const u64 least = warp.frame_local + op.offset;
  sem::for_each_lane(warp.mask, [&](u32 lane) {
    const u64 pointer = warp.at<const T>(op.src[0])[lane];
    if (pointer < least || pointer > warp.local_stride) {
      raise_trap(warp, machine::TrapKind::stack_overflow, lane, &pointer);
    }
    warp.stack[lane] = pointer;
  });
}

template <class T>
void allocate(Warp& warp, const Op& op) {
  const u64 least = warp.frame_local + op.offset;
  sem::for_each_lane(warp.mask, [&](u32 lane) {
    const u64 size = warp.at<const T>(op.src[0])[lane];
    const u64 top = warp.stack[lane];
    const u64 pointer = (top - size) >> op.count << op.count;
    if (size > top || pointer < least) {
      raise_trap(warp, machine::TrapKind::stack_overflow, lane, nullptr);
    }
    warp.stack[lane] = pointer;
    warp.at<T>(op.dst[0])[lane] = static_cast<T>(pointer);
  });
}

}  // namespace

Handler stack_save(u32 bytes) { return bytes == 8 ? &save<u64> : &save<u32>; }
Handler stack_restore(u32 bytes) { return bytes == 8 ? &restore<u64> : &restore<u32>; }
Handler stack_allocate(u32 bytes) { return bytes == 8 ? &allocate<u64> : &allocate<u32>; }

}  // namespace heddle::interp
