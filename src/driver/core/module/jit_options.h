// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of cuModuleLoadDataEx and cuLinkCreate that have an effect here: the buffers for
// diagnostics, and a limit of registers. Driver API 6.1 (CUjit_option).
//
// CU_JIT_MAX_REGISTERS changes a kernel's CU_FUNC_ATTRIBUTE_NUM_REGS. Other options that tune code
// for a GPU (optimisation level, target, ...) are accepted and have no effect. Options that change
// a program's meaning are refused.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

class JitOptions {
 public:
  /// CUDA_ERROR_INVALID_VALUE for an unknown option, CUDA_ERROR_NOT_SUPPORTED for an option that
  /// would have to change results. The arrays must outlive the object, which writes sizes and times
  /// back to them.
  CUresult parse(unsigned count, const CUjit_option* options, void** values);

  /// Appends text to the program's log buffers, which hold it up to their size, always
  /// NUL-terminated. The size options get the number of bytes filled.
  void write_errors(std::string_view text) { errors_.write(text); }
  void write_infos(std::string_view text) { infos_.write(text); }
  void write_wall_time(float milliseconds);

  /// CU_JIT_MAX_REGISTERS; 0: the program gave none. The static function reads a list that parse()
  /// has not seen.
  u32 max_registers() const { return max_registers_; }
  static u32 max_registers(unsigned count, const CUjit_option* options, void* const* values);

  bool has_error_buffer() const { return errors_.buffer; }

 private:
  struct Log {
    char* buffer = nullptr;
    std::size_t size = 0;
    std::size_t filled = 0;
    void** filled_out = nullptr;
    void write(std::string_view text);
  };
  Log errors_, infos_;
  void** wall_time_out_ = nullptr;
  u32 max_registers_ = 0;
};

}  // namespace heddle::driver
