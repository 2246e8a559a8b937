// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of cuModuleLoadDataEx and cuLinkCreate, as far as they mean something here: where
// diagnostics go. Driver API 6.1 (CUjit_option).
//
// CU_JIT_MAX_REGISTERS shows in what a kernel says that it needs. Options that tune code for a GPU
// otherwise (optimisation level, target, ...) are accepted and have nothing to act on. Options that
// change what a program means are refused until they are written.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

class JitOptions {
 public:
  /// CUDA_ERROR_INVALID_VALUE for an unknown option, CUDA_ERROR_NOT_SUPPORTED for one that would
  /// have to change the result. The arrays must outlive the object: sizes and times are written
  /// back there.
  CUresult parse(unsigned count, const CUjit_option* options, void** values);

  /// Appends to the program's log buffers, cut at their size, always NUL-terminated; says in the
  /// size options how many bytes are filled.
  void write_errors(std::string_view text) { errors_.write(text); }
  void write_infos(std::string_view text) { infos_.write(text); }
  void write_wall_time(float milliseconds);

  /// CU_JIT_MAX_REGISTERS; 0: not given. Also of a list that parse() has not seen.
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
