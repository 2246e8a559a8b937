// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See private_interface.h.
#include "driver/core/private_interface.h"

#include <fmt/format.h>

namespace heddle::driver {

std::string what_helps(std::string_view who, std::string_view folder) {
  const std::string_view name = who.substr(who.rfind('/') + 1);
  constexpr std::string_view kRuntime = "libcudart.so.";
  // A program with DT_RPATH loads the runtime that lies beside it, before the loader searches
  // LD_LIBRARY_PATH.
  if (name.starts_with(kRuntime)) {
    const std::string_view major = name.substr(0, name.find('.', kRuntime.size()));
    return fmt::format(
        "it is NVIDIA's CUDA runtime, which was loaded in place of Heddle's: run the program with "
        "`heddle exec`, or with LD_PRELOAD={}{}",
        folder, major);
  }
  // A user cannot relink a package of pip.
  if (who.find("/cuda/bindings/") != who.npos) {
    return "the module cuda.bindings.runtime contains the static CUDA runtime, so none of its "
           "functions work; use those of cuda.bindings.driver, and in cuda.core, where Device.sync "
           "and a few others call it, Stream.sync (device.default_stream.sync())";
  }
  return "if it contains the static CUDA runtime, relink it with `nvcc -cudart shared` and run it "
         "with Heddle's libcudart";
}

}  // namespace heddle::driver
