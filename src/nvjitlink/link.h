// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One link of nvJitLink: options and inputs in, a container (image/container.h) out.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "image/link_input.h"
#include "nvjitlink/abi.h"
#include "nvjitlink/options.h"

namespace heddle::nvjitlink {

/// All functions may be called from several threads. An error also adds sentences, or the checker's
/// messages, to the log of errors.
class Link {
 public:
  nvJitLinkResult create(std::span<const char* const> words);
  /// NVJITLINK_ERROR_PTX_COMPILE for PTX with mistakes, NVJITLINK_ERROR_INVALID_INPUT for damaged
  /// bytes and for machine code, NVJITLINK_ERROR_INCORRECT_INPUT_TYPE when the bytes are not of
  /// that type, NVJITLINK_ERROR_LTO_NOT_ENABLED or NVJITLINK_ERROR_NVVM_COMPILE for LTO-IR.
  nvJitLinkResult add(nvJitLinkInputType type, std::string_view bytes, std::string_view name);
  nvJitLinkResult add_file(nvJitLinkInputType type, const char* path);
  /// NVJITLINK_ERROR_FINALIZE when the inputs do not fit together.
  nvJitLinkResult complete();

  /// NVJITLINK_ERROR_INTERNAL before complete() has made it.
  nvJitLinkResult cubin(std::string& out) const;
  /// The PTX, if the options ask for it (-lto -ptx); NVJITLINK_ERROR_INVALID_INPUT otherwise.
  nvJitLinkResult ptx(std::string& out) const;
  std::string errors() const;
  std::string infos() const;

 private:
  nvJitLinkResult fail(nvJitLinkResult result, std::string_view why);
  nvJitLinkResult check(const image::PtxText& text);

  mutable std::mutex mutex_;
  bool valid_ = false;  ///< the options were good
  Options options_;
  machine::Profile profile_ = {};
  std::vector<image::LinkUnit> units_;
  std::string cubin_, ptx_, errors_, infos_;
};

}  // namespace heddle::nvjitlink
