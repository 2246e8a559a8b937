// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the system provides to kernels: printf, a heap, assertions. A module declares these
// functions and no module defines them (PTX Interoperability, "System Calls").
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/memory.h"

namespace heddle::machine {

enum class SystemFunction : u8 {
  none,
  vprintf,          ///< (format, arguments) -> number of arguments, or -1 without a format
  malloc,           ///< (bytes) -> address, or 0
  free,             ///< (address)
  assertfail,       ///< (message, file, line, function, bytes per character); does not return
  set_conditional,  ///< (handle, value): cudaGraphSetConditional of graphs
};

/// A parameter, or the result, of a function of the system.
enum class SystemType : u8 {
  none,
  number,   ///< up to 8 bytes, which are taken as an unsigned number; a result is sign-extended
  address,  ///< as many bytes as the module's addresses have, or more
};

struct SystemFunctionInfo {
  static constexpr u32 kMostParams = 5;
  std::string_view name;
  SystemFunction function;
  std::array<SystemType, kMostParams> params{};  ///< up to the first `none`
  u32 least = 0;  ///< arguments that a call must pass; those behind them are 0
  SystemType result = SystemType::none;
  u32 most() const { return static_cast<u32>(std::ranges::find(params, SystemType::none) - params.begin()); }
};
/// None when the system has no such function.
const SystemFunctionInfo* find_system_function(std::string_view name);
inline bool provides(std::string_view name) { return find_system_function(name); }

/// Why a call cannot be one of the function, which passes arguments and takes results of so many
/// bytes (0: a predicate) in a module whose addresses have `address_bytes`; empty: it can. Results
/// that nobody takes are dropped, and one that the function does not give is 0: modules declare
/// these functions themselves, not always as CUDA's headers do.
std::string refuse_system_call(const SystemFunctionInfo& info, std::span<const u32> arguments,
                               std::span<const u32> results, u32 address_bytes);

/// Heap and printf buffer, which live as long as a context. Thread-safe.
class DeviceRuntime {
 public:
  explicit DeviceRuntime(Memory& memory) : memory_(memory) {}
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  static constexpr u64 kHeapBytes = 8 << 20, kPrintfBytes = 1 << 20;
  /// False once the heap (the buffer) is in use: then its size stays.
  bool set_heap_limit(u64 bytes);
  bool set_printf_limit(u64 bytes);

  /// `bytes` aligned to 16; 0 when the heap has no such piece. `low`: below 4 GiB.
  u64 allocate(u64 bytes, bool low);
  /// False when no live piece begins at `address`. Address 0 is fine.
  bool release(u64 address);

  /// What a kernel sets for conditional nodes of graphs; false when there is no such handle. Set by
  /// who makes this object; none: there are no graphs.
  std::function<bool(u64 handle, u32 value)> set_conditional;

  /// Keeps the text of one printf until flush(). What is oldest is lost when the buffer is full.
  void print(std::string text);
  /// Writes what was printed to the standard output.
  void flush();

 private:
  Memory& memory_;
  std::mutex mutex_;
  u64 heap_limit_ = kHeapBytes, printf_limit_ = kPrintfBytes;
  u64 heap_base_ = 0;  ///< 0: not in use yet
  Ranges heap_{16, 0};
  std::deque<std::string> printed_;
  u64 printed_bytes_ = 0;
  bool has_printed_ = false;
};

}  // namespace heddle::machine
