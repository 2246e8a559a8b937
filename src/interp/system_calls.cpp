// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/system_calls.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle::interp {

using machine::SystemFunction;
using machine::TrapKind;

u64 SystemCalls::read_bits(u64 address, u32 bytes) {
  u64 bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(caller_.reach(address, bytes)), bytes);
  return bits;
}

void SystemCalls::read_string(u64 address, std::string& text) {
  text.clear();
  if (!address) {
    text = "(null)";
    return;
  }
  while (const u64 character = read_bits(address++, 1))
    text.push_back(static_cast<char>(character));
}

/// Returns what vprintf returns.
u64 SystemCalls::print(u64 format, u64 arguments) {
  if (!format) return ~u64{0};
  read_string(format, text_);
  arguments_ = machine::printf_arguments(text_);
  values_.resize(arguments_.size());
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    values_[i].bits = read_bits(arguments + arguments_[i].offset, arguments_[i].bytes);
    if (arguments_[i].is_string) read_string(values_[i].bits, values_[i].text);
  }
  launch_.runtime->print(machine::print_formatted(text_, values_));
  return arguments_.size();
}

/// Writes which assertion failed, as CUDA programs do. The first one is the trap's detail.
void SystemCalls::describe_assertion(const Thread& thread, const u64* arguments) {
  std::string& detail = caller_.detail();
  const auto append = [&](u64 address) {
    read_string(address, text_);
    detail += text_;
  };
  detail.clear();
  append(arguments[1]);
  detail += fmt::format(":{}: ", static_cast<u32>(arguments[2]));
  append(arguments[3]);
  const machine::Dim3& block = launch_.config->block;
  const machine::Dim3& cta = thread.cta;
  const u32 index = thread.index;
  detail += fmt::format(": block: [{},{},{}], thread: [{},{},{}] Assertion `", cta.x, cta.y, cta.z,
                        index % block.x, index / block.x % block.y, index / block.x / block.y);
  append(arguments[0]);
  detail += "` failed.";
}

u64 SystemCalls::call(SystemFunction function, const Thread& thread, const u64* arguments) {
  machine::DeviceRuntime& runtime = *launch_.runtime;
  switch (function) {
    case SystemFunction::vprintf:
      return print(arguments[0], arguments[1]);
    case SystemFunction::malloc:
      return runtime.allocate(arguments[0], launch_.loaded->module().address_size == 32);
    case SystemFunction::free:
      if (!runtime.release(arguments[0])) {
        caller_.detail() = "free of an address that malloc did not return, or that is free already";
        caller_.raise(TrapKind::illegal_address, &arguments[0]);
      }
      break;
    case SystemFunction::assertfail:
      describe_assertion(thread, arguments);
      caller_.raise(TrapKind::assertion, nullptr);
    case SystemFunction::set_conditional:
      if (!runtime.set_conditional ||
          !runtime.set_conditional(arguments[0], static_cast<u32>(arguments[1]))) {
        caller_.detail() = "cudaGraphSetConditional of a handle that no graph has";
        caller_.raise(TrapKind::illegal_address, &arguments[0]);
      }
      break;
    case SystemFunction::none:
      break;
    default:
      return call_runtime(thread.cta_index * launch_.config->block.volume() + thread.index,
                          function, arguments);
  }
  return 0;
}

}  // namespace heddle::interp
