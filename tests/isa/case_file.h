// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gen/isa/cases.txt: what scripts/isagen.py makes of each `case` of the instruction tables, with
// its values as bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/match.h"

namespace heddle::isa_cases {

/// 128 bits are enough for every type; `lo` alone for all but b128.
struct Bits {
  u64 lo = 0, hi = 0;
  bool operator==(const Bits&) const = default;
};

/// One element of an operand: a register of the test kernel.
struct Element {
  isa::Type type = isa::Type::none;
  bool immediate = false;  ///< must be written as a number
  bool wide = false;       ///< its register may be wider than the type
  Bits bits;
  bool any = false;      ///< outputs: not compared
  bool any_nan = false;  ///< outputs: every NaN will do
};

/// One operand of the case.
struct Value {
  std::string name;  ///< "cc": the condition-code register
  bool braces = false;
  bool minus = false;  ///< `-a`
  std::string suffix;  ///< "b0" of `a.b0`
  bool lanes = false;  ///< not an operand of its own: the digits behind the one before, as a number
  std::vector<Element> elements;
};

struct Case {
  isa::Candidate form;
  std::string mnemonic;
  std::vector<Value> outputs, inputs;
  std::string where;  ///< file:line
};

struct CaseFile {
  std::vector<Case> cases;
  std::vector<std::string> errors;  ///< lines that could not be read
};

CaseFile read_cases(const std::string& path);

/// True when `got` is what `expected` says.
bool is_as_expected(const Element& expected, Bits got);

/// "0x3f800000", "true".
std::string print(isa::Type type, Bits bits);

}  // namespace heddle::isa_cases
