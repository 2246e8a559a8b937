// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads gen/isa/cases.txt, which scripts/isagen.py generates from the `case` lines of the
// instruction tables, with the values as bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/match.h"

namespace heddle::isa_cases {

/// The bits of a value of any type; types other than b128 use only `lo`.
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
  bool any_nan = false;  ///< outputs: any NaN is right
};

/// One operand of the case.
struct Value {
  std::string name;  ///< "cc": the condition-code register
  bool braces = false;
  bool minus = false;  ///< `-a`
  std::string suffix;  ///< "b0" of `a.b0`
  bool lanes = false;  ///< not an operand: the digits after the preceding operand, as a number
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

/// True when `got` matches `expected`.
bool is_as_expected(const Element& expected, Bits got);

/// "0x3f800000", "true".
std::string print(isa::Type type, Bits bits);

}  // namespace heddle::isa_cases
