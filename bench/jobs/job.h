// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job of `./x bench --jobs`: the same work as a kernel and as plain C++, over the same arrays.
// A job does not depend on the engine that runs the kernel (engine.h).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace heddle::bench {

class Team;

struct Extent {
  unsigned x = 1, y = 1, z = 1;
};

/// An argument of a launch: an array of the job, or the bytes of a number.
struct Argument {
  int array = -1;
  std::size_t size = 0;
  unsigned char bytes[8] = {};
};

struct Launch {
  const char* kernel;
  Extent grid, block;
  std::vector<Argument> arguments;
};

/// Host memory on which the native code works; other engines start from copies.
struct Array {
  std::unique_ptr<void, void (*)(void*)> memory;
  void* begin;
  std::size_t bytes;
};

/// The elements of a result, for comparing them.
enum class Element { kWord, kFloat, kHalf };

struct Job {
  explicit Job(const char* kernels) : file(kernels) {}

  /// `of(i)` is the initial value of element i.
  template <class T, class Of>
  T* array(std::size_t count, Of of) {
    T* elements = static_cast<T*>(allocate(count * sizeof(T)));
    for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<T>(of(i));
    return elements;
  }
  template <class T>
  T* zeros(std::size_t count) {
    return array<T>(count, [](std::size_t) { return T{}; });
  }

  /// Pointers among the arguments are arrays of this job.
  template <class... Args>
  void launch(const char* kernel, Extent grid, Extent block, Args... arguments) {
    launches.push_back({kernel, grid, block, {argument(arguments)...}});
  }

  /// `relative`: the tolerance for an element, relative to the native one; 0: all bits must be
  /// equal.
  template <class T>
  void result_in(const T* array, double relative = 0) {
    result = index_of(array);
    element = std::is_same_v<T, unsigned> || std::is_same_v<T, int> ? Element::kWord
              : std::is_same_v<T, _Float16>                         ? Element::kHalf
                                                                    : Element::kFloat;
    tolerance = relative;
  }

  const char* file;  ///< bench/kernels/FILE.cu
  std::vector<Array> arrays;
  std::vector<Launch> launches;       ///< in this order
  std::function<void(Team&)> native;  ///< the same work, on the arrays
  int result = 0;                     ///< the array to compare
  Element element = Element::kWord;
  double tolerance = 0;

 private:
  void* allocate(std::size_t bytes);
  int index_of(const void* array) const;
  template <class T>
  Argument argument(T value) const {
    Argument made;
    if constexpr (std::is_pointer_v<T>) {
      made.array = index_of(value);
    } else {
      static_assert(sizeof value <= sizeof made.bytes);
      made.size = sizeof value;
      std::memcpy(made.bytes, &value, sizeof value);
    }
    return made;
  }
};

/// "", or the place where the results differ by more than the job's tolerance. `roughly`: for an
/// engine that may round a product before it adds; then one element in a hundred may have any value
/// (the edge of a fractal).
std::string difference(const Job& job, const void* expected, const void* found, bool roughly);

/// A line of the table of jobs.
struct Entry {
  const char* name;
  const char* work;          ///< the work of one run, for people
  Job (*make)(bool little);  ///< little: the least size that still takes every path, for tests
};

/// Every job, in the order of reports.
const std::vector<Entry>& jobs();

/// Pseudo-random numbers that are the same on every machine.
struct Random {
  unsigned state = 12345;
  unsigned operator()() {
    state = state * 1664525 + 1013904223;
    return state >> 8;
  }
  /// In [-0.5, 0.5).
  float centred() { return static_cast<float>((*this)()) / 0x1p24f - 0.5f; }
};

constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

}  // namespace heddle::bench
