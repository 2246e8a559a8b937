// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See jit_options.h.
#include "driver/core/module/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace heddle::driver {

CUresult JitOptions::parse(unsigned count, const CUjit_option* options, void** values) {
  if (count && (!options || !values)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[i]));
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER:
        infos_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        infos_.size = number;
        infos_.filled_out = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        errors_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        errors_.size = number;
        errors_.filled_out = &values[i];
        break;
      case CU_JIT_WALL_TIME:
        wall_time_out_ = &values[i];
        break;
      case CU_JIT_GLOBAL_SYMBOL_NAMES:
      case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
      case CU_JIT_GLOBAL_SYMBOL_COUNT:
        return CUDA_ERROR_NOT_SUPPORTED;
      default:
        if (options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
    }
  }
  max_registers_ = max_registers(count, options, values);
  write_errors("");
  write_infos("");
  write_wall_time(0);
  return CUDA_SUCCESS;
}

u32 JitOptions::max_registers(unsigned count, const CUjit_option* options, void* const* values) {
  u32 most = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_MAX_REGISTERS)
      most = static_cast<u32>(reinterpret_cast<std::uintptr_t>(values[i]));
  }
  return most;
}

void JitOptions::Log::write(std::string_view text) {
  if (buffer && size) {
    const auto room = size - 1 - filled;
    const auto length = std::min(room, text.size());
    std::memcpy(buffer + filled, text.data(), length);
    filled += length;
    buffer[filled] = '\0';
  }
  if (filled_out) *filled_out = reinterpret_cast<void*>(filled);
}

void JitOptions::write_wall_time(float milliseconds) {
  if (wall_time_out_) std::memcpy(wall_time_out_, &milliseconds, sizeof milliseconds);
}

}  // namespace heddle::driver
