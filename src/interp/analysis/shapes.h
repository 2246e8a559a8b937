// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "interp/analysis/scopes.h"
#include "ir/module.h"

namespace heddle::interp {

/// How a value depends on the lane, in a warp that has not diverged.
struct Shape {
  enum class Kind : u8 { unset, affine, varying };
  Kind kind = Kind::unset;
  s64 stride = 0;  ///< affine: from one lane to the next
  bool operator==(const Shape&) const = default;
  bool is_affine() const { return kind == Kind::affine; }
  bool is_uniform() const { return is_affine() && stride == 0; }
  static Shape uniform() { return affine(0); }
  static Shape affine(s64 stride) { return {Kind::affine, stride}; }
  static Shape varying() { return {Kind::varying, 0}; }
};

/// The shapes of a function's registers and of what its instructions write. In a called function
/// all are varying: its parameters differ from call to call.
class Shapes {
 public:
  Shapes(const ir::Function& function, const Scopes& scopes);

  Shape of_register(u32 id) const { return registers_[id]; }
  Shape of_source(const ir::Operand& operand) const;
  /// The shape of all values that the instruction writes.
  Shape of_result(u32 inst) const { return results_[inst].shape; }
  /// If the instruction widens its first source, which is affine: the distance of lane 31 of the
  /// source from its lane 0. Otherwise 0.
  s64 widened_reach(u32 inst) const { return results_[inst].reach; }

 private:
  struct Result {
    Shape shape;
    s64 reach = 0;
  };
  Result find_result(u32 index, const Scopes& scopes) const;
  Result lane_result(const ir::Inst& inst, std::span<const ir::Operand> sources) const;
  bool merge_written(const ir::Inst& inst, Shape result);

  const ir::Function& f_;
  std::vector<Shape> registers_;  // by register
  std::vector<Result> results_;   // by instruction
};

/// The distance of lane 31 from lane 0.
s64 reach_of(Shape shape);

}  // namespace heddle::interp
