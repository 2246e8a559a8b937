// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of BLAS: elements at a distance. With a negative increment the first element is the last
// one in memory.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace heddle::mathlibs {

template <class T>
class Strided {
 public:
  Strided(T* data, int64_t n, int64_t inc)
      : first_(inc < 0 ? data - (n - 1) * inc : data), inc_(inc) {}
  T& operator[](int64_t i) const { return first_[i * inc_]; }

 private:
  T* first_;
  int64_t inc_;
};

/// A vector without gaps, as the host's BLAS gets it: its kernels for other increments read
/// elements beyond a vector's ends, which may not be memory. A copy where the increment is not 1;
/// changes are written back at the end.
template <class T>
class Dense {
 public:
  Dense(T* data, int64_t n, int64_t inc) : data_(data), n_(n), inc_(inc) {
    if (inc == 1) return;
    copy_.resize(static_cast<size_t>(n));
    const Strided<T> from(data, n, inc);
    for (int64_t i = 0; i < n; ++i) copy_[static_cast<size_t>(i)] = from[i];
  }
  ~Dense() {
    if constexpr (!std::is_const_v<T>) {
      if (inc_ == 1) return;
      const Strided<T> to(data_, n_, inc_);
      for (int64_t i = 0; i < n_; ++i) to[i] = copy_[static_cast<size_t>(i)];
    }
  }
  Dense(const Dense&) = delete;
  Dense& operator=(const Dense&) = delete;
  T* data() { return inc_ == 1 ? data_ : copy_.data(); }

 private:
  T* data_;
  int64_t n_, inc_;
  std::vector<std::remove_const_t<T>> copy_;
};

}  // namespace heddle::mathlibs
