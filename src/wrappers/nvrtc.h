// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of NVRTC. One that asks for machine code or for LTO-IR is compiled to PTX, and gets a
// container of the PTX.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/types.h"
#include "wrappers/options.h"

namespace heddle::wrappers {

using Result = int;  ///< nvrtcResult
using Program = void*;
constexpr Result kSuccess = 0, kInvalidInput = 3;

using GetSize = Result (*)(Program, std::size_t*);
using Get = Result (*)(Program, char*);

/// The vendor's functions that those of this class stand in front of, and those that they need.
struct Nvrtc {
  Result (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  Result (*destroy)(Program*);
  Result (*compile)(Program, int, const char* const*);
  GetSize ptx_size, cubin_size, lto_ir_size;
  Get ptx, cubin, lto_ir;
};

/// All functions may be called from several threads, as those of NVRTC.
class Programs {
 public:
  explicit Programs(const Nvrtc& vendor) : vendor_(vendor) {}

  Result create(Program* program, const char* source, const char* name, int count,
                const char* const* headers, const char* const* includes);
  Result destroy(Program* program);
  Result compile(Program program, int count, const char* const* words);
  /// The output of that kind: of this object when the program asked for it, else of the vendor.
  Result size(Asked kind, Program program, std::size_t* size);
  Result output(Asked kind, Program program, char* out);

 private:
  struct State {
    std::string name = "<NVRTC>";  ///< of the file, as the creator of the program called it
    Asked asked = Asked::ptx;
    u32 max_registers = 0;
    std::string container;  ///< made when it is asked for
  };

  void compiled(Program program, Asked asked, u32 max_registers);
  /// The container of a program that asked for `kind`. None: it did not.
  Result container_of(Asked kind, Program program, std::optional<std::string>& container);

  const Nvrtc vendor_;
  std::mutex mutex_;
  std::map<Program, State> programs_;
};

}  // namespace heddle::wrappers
