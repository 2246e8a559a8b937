// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_TRACE, a comma-separated list of traces on stderr. `api` prints a line for each call of
// the driver, with arguments and result (the exports, made by scripts/drivergen.py, call
// trace_call()). `launch` prints a line for each grid when it is done.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "driver/abi.h"
#include "machine/engine.h"

namespace heddle::driver {

bool traces_api();
bool traces_launches();

/// The text of an argument of a call.
std::string show(const char* text);
std::string show(const void* pointer);
std::string show(unsigned long long number);
std::string show(long long number);
std::string show(double number);
inline std::string show(int number) { return show(static_cast<long long>(number)); }
inline std::string show(unsigned number) { return show(static_cast<unsigned long long>(number)); }
inline std::string show(unsigned long number) {
  return show(static_cast<unsigned long long>(number));
}
inline std::string show(unsigned short number) { return show(static_cast<unsigned>(number)); }
inline std::string show(unsigned char number) { return show(static_cast<unsigned>(number)); }
inline std::string show(float number) { return show(static_cast<double>(number)); }
std::string show(const CUmemLocation& location);
/// Other structures that are passed by value are opaque handles.
template <class Value>
  requires std::is_class_v<Value>
std::string show(const Value&) {
  return "{...}";
}
template <class Object>
std::string show(Object* pointer) {
  return show(static_cast<const void*>(pointer));
}
template <class Result, class... Arguments>
std::string show(Result (*function)(Arguments...)) {
  return show(reinterpret_cast<const void*>(function));
}

/// A name and a value, whose text is made only when the call is printed: most programs are not
/// traced, and a string for each argument of each export would be much code.
struct Argument {
  template <class T>
  Argument(const char* name, const T& value)
      : name(name),
        value(&value),
        text([](const void* at) -> std::string { return show(*static_cast<const T*>(at)); }) {}
  const char* name;
  const void* value;
  std::string (*text)(const void*);
};
/// Prints `heddle: api: function(name=value, ...) = result`, and returns the result.
CUresult trace_call(const char* function, std::initializer_list<Argument> arguments,
                    CUresult result);

/// Prints a line about a grid when it goes out of scope: the grid's shape, its time, the number of
/// host threads that the process kept busy meanwhile, and the engine.
class TraceLaunch {
 public:
  TraceLaunch(const std::string& kernel, const machine::LaunchShape& shape,
              const machine::RunOptions& options, const machine::Program& program);
  ~TraceLaunch();
  TraceLaunch(const TraceLaunch&) = delete;
  TraceLaunch& operator=(const TraceLaunch&) = delete;

 private:
  const std::string& kernel_;
  std::optional<machine::LaunchConfig> config_;  ///< set when launches are traced
  const machine::Program& program_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::nanoseconds cpu_begin_{};  ///< CPU time of the process
};

}  // namespace heddle::driver
