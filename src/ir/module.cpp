// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/module.h"

namespace heddle::ir {
namespace {

template <class T>
const T* find(const std::vector<T>& all, std::string_view name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace

const Function* Module::find_function(std::string_view name) const { return find(functions, name); }
const Variable* Module::find_variable(std::string_view name) const { return find(variables, name); }

}  // namespace heddle::ir
