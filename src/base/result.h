// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result<T>: a value, or the reason why there is none. For failures of the host (files, memory);
// mistakes in a user's PTX go to diag::Report and faults of a kernel to machine::Trap.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace heddle {

/// Why an operation of the host failed, as one sentence for a person.
struct Error {
  std::string message;
};

template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Result*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Result*>(this)->value(); }

  const E& error() const {
    HEDDLE_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  T& value() {
    HEDDLE_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  std::variant<T, E> state_;
};

}  // namespace heddle
