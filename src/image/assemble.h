// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an assembler of PTX does for build tools and libraries: it checks texts for a target, writes
// a container (container.h) in place of machine code, and says what kernels use, in the words and
// the layout of the vendor's ptxas, which its callers parse.
#pragma once

#include <string>
#include <vector>

#include "image/image.h"
#include "ir/module.h"

namespace heddle::image {

struct AssembleOptions {
  isa::Target target{75};
  /// The target is a virtual architecture (compute_75): the texts are checked, and there is no
  /// container.
  bool only_checks = false;
  /// The texts are parts of a program, and may use functions that other parts define.
  bool relocatable = false;
  bool verbose = false;  ///< says what kernels use
  bool warns = true;     ///< false: warnings are left out
  bool warnings_are_errors = false;
  bool contract = true;                   ///< false: mul and add stay apart (-fmad=false)
  u32 max_registers = 0;                  ///< the limit of a kernel's registers; 0: none
  std::vector<std::string> kernels = {};  ///< those that must be there; empty: any
};

struct Assembled {
  Status status = Status::ok;
  std::string container;  ///< when status is ok, and the target is real
  std::string messages;   ///< the checker's, and lines of the assembler
  std::string infos;      ///< when verbose
};
Assembled assemble(std::vector<PtxText> texts, const AssembleOptions& options);

/// Whether a module for the target `needed` can be assembled for the architecture. As
/// isa::admits(), but code of a family runs on the plain architectures of the family, too.
bool assembles_for(isa::Target needed, isa::Target architecture);

/// What the module and its kernels use, in the words of `ptxas -v`: of these kernels, empty: of
/// all, and of functions where the module is a part of a program.
std::string resource_infos(const ir::Module& module, isa::Target target,
                           const std::vector<std::string>& kernels = {}, bool is_part = false);

/// The same of a linked program, in the words of `nvlink -v`.
std::string link_infos(const ir::Module& module);

/// A line of the tool `tool` in the vendor's layout: "ptxas warning : ...". `kind` is info,
/// warning, error or fatal.
std::string tool_line(std::string_view tool, std::string_view kind, std::string_view text);

/// The release of the CUDA toolkit whose newest PTX version Heddle knows: "13.1".
std::string toolkit_release();

}  // namespace heddle::image
