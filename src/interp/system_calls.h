// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the system provides to kernels: vprintf, malloc, free, __assertfail,
// cudaGraphSetConditional (system_calls.cpp), and CUDA's device run-time (system_launches.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/device_launch.h"
#include "machine/device_runtime.h"
#include "machine/engine.h"
#include "machine/printf.h"
#include "machine/trap_kind.h"

namespace heddle::interp {

/// What a system function needs of the CTA whose thread calls it.
class SystemCaller {
 public:
  /// The host address of `bytes` bytes at a generic address. Traps where there is no memory. As for
  /// loads, an access to a page without access faults.
  virtual u64 reach(u64 address, u32 bytes) = 0;
  /// Traps the calling thread; detail() explains the trap. Control leaves by a jump, so no object
  /// with a destructor may be on the stack.
  [[noreturn]] virtual void raise(machine::TrapKind kind, const u64* address) = 0;
  virtual std::string& detail() = 0;

 protected:
  ~SystemCaller() = default;
};

/// The functions run for one thread after the other. Their reads at addresses that a kernel passes
/// may trap or fault, so objects with a destructor are members.
class SystemCalls {
 public:
  SystemCalls(machine::Launch& launch, SystemCaller& caller) : launch_(launch), caller_(caller) {}

  struct Thread {
    machine::Dim3 cta;
    u64 cta_index;
    u32 index;  ///< in the CTA
  };
  /// Calls the function, and returns its result.
  u64 call(machine::SystemFunction function, const Thread& thread, const u64* arguments);

 private:
  u64 call_runtime(u64 thread, machine::SystemFunction function, const u64* words);
  u64 print(u64 format, u64 arguments);
  void describe_assertion(const Thread& thread, const u64* arguments);
  u64 text_in_memory(std::string_view text);
  u64 read_bits(u64 address, u32 bytes);
  void write_bits(u64 address, u64 bits, u32 bytes);
  void read_string(u64 address, std::string& text);

  machine::Launch& launch_;
  SystemCaller& caller_;
  std::string text_;
  std::vector<machine::PrintfArgument> arguments_;
  std::vector<machine::PrintfValue> values_;
};

}  // namespace heddle::interp
