// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See link.h.
#include "driver/core/module/link.h"

#include <algorithm>
#include <iterator>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/module/compile.h"
#include "image/container.h"
#include "image/device_library.h"

namespace heddle::driver {

CUresult Link::add(const std::string& bytes, std::string_view name, u32 max_registers) {
  auto input = image::read_link_input(bytes, context_->device().profile, name);
  if (input.status != image::Status::ok)
    return complain(result_of(input.status), std::string(name) + ": " + input.why, options_);
  for (auto& unit : input.units) {
    for (auto& text : unit.texts)
      text.max_registers = max_registers ? max_registers : options_.max_registers();
  }
  const std::lock_guard lock(mutex_);
  std::ranges::move(input.units, std::back_inserter(units_));
  std::ranges::move(input.left_out, std::back_inserter(left_out_));
  return CUDA_SUCCESS;
}

CUresult Link::complete(void** image, std::size_t* size) {
  const std::lock_guard lock(mutex_);
  const auto texts = image::texts_to_link(units_, image::device_library_names());
  const auto compiled =
      compile(texts, context_->device().profile, options_, check::Program::relocatable);
  if (compiled.result) {
    for (const auto& why : left_out_) complain(compiled.result, "left out: " + why, options_);
    return compiled.result;
  }
  image_ = image::write_container(texts);
  *image = image_.data();
  if (size) *size = image_.size();
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
