// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/dump.h"

#include <fmt/format.h>
#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/raw_ostream.h>

#include "ir/print.h"

namespace heddle::jit {
namespace {

std::string describe(const Shape& shape) {
  std::string text;
  switch (shape.kind) {
    case Shape::Kind::unset:
      return "never";
    case Shape::Kind::any:
      return "any";
    case Shape::Kind::team:
      text = shape.stride ? fmt::format("{:+} a lane", shape.stride) : "uniform";
      break;
    case Shape::Kind::warp:
      text = shape.stride ? fmt::format("{:+} a lane of each warp", shape.stride)
                          : "uniform in each warp";
      break;
    case Shape::Kind::half:
      text = shape.stride ? fmt::format("{:+} a lane of each half", shape.stride)
                          : "uniform in each half";
  }
  if (shape.align > 1 && shape.align < (u64{1} << 32))
    text += fmt::format(", first a multiple of {}", shape.align);
  if (!shape.widened.empty()) text += ", unless it wrapped around";
  return text;
}

class Writer final : public llvm::AssemblyAnnotationWriter {
 public:
  Writer(const ScalarKernel& kernel, const ir::Module* module, const Shapes* shapes)
      : kernel_(kernel), module_(module), shapes_(shapes) {}

  void emitInstructionAnnot(const llvm::Instruction* inst,
                            llvm::formatted_raw_ostream& out) override {
    const u32 line = inst->getDebugLoc() ? inst->getDebugLoc().getLine() : 0;
    if (!line || line == line_ || !module_) return;
    line_ = line;
    const auto [function, number] = kernel_.place_of(line);
    const ir::Inst& from = module_->functions[function].insts[number];
    out << fmt::format("  ; PTX {}: {}\n", from.at.line, ir::mnemonic(from));
  }
  void emitBasicBlockStartAnnot(const llvm::BasicBlock*, llvm::formatted_raw_ostream&) override {
    line_ = 0;
  }
  void printInfoComment(const llvm::Value& value, llvm::formatted_raw_ostream& out) override {
    if (shapes_ && llvm::isa<llvm::Instruction>(value) && !value.getType()->isVoidTy())
      out << "  ; " << describe(shapes_->of(&value));
  }

 private:
  const ScalarKernel& kernel_;
  const ir::Module* const module_;  ///< null: the code was read as text
  const Shapes* const shapes_;
  u32 line_ = 0;
};

}  // namespace

namespace {

template <class Code>
std::string print(const Code& code, const ScalarKernel& kernel, const ir::Module* module,
                  const Shapes* shapes) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Writer writer(kernel, module, shapes);
  if (kernel.zeroes_subnormals) out << "; Subnormal operands are zero.\n";
  code.print(out, &writer);
  return text;
}

}  // namespace

std::string dump(const llvm::Function& function, const ScalarKernel& kernel,
                 const ir::Module& module, const Shapes* shapes) {
  return print(function, kernel, &module, shapes);
}

std::string dump_all(const ScalarKernel& kernel, const ir::Module* module, const Shapes* shapes) {
  return print(*kernel.module, kernel, module, shapes);
}

std::string describe_shape(const Shape& shape) { return describe(shape); }

}  // namespace heddle::jit
