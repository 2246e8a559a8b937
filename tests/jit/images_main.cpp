// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_images [--cpu NAME] FILE.ptx...: prints a line for each kernel and block shape, with a
// digest of its machine code and a digest of the rest of its image. Two builds whose compilers
// should make the same code print the same lines.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "jit/compiler.h"
#include "jit/entry.h"
#include "machine/device_runtime.h"
#include "machine/loaded.h"
#include "syntax/preprocess.h"

namespace heddle::jit {
namespace {

constexpr machine::Dim3 kBlocks[] = {{32, 1, 1}, {40, 1, 1}, {256, 1, 1}, {16, 16, 1}};

u64 digest(std::string_view bytes) {  // FNV-1a
  u64 sum = 0xcbf29ce484222325;
  for (const char byte : bytes) sum = (sum ^ static_cast<u8>(byte)) * 0x100000001b3;
  return sum;
}

std::string digests(Image image) {
  const u64 code = digest({reinterpret_cast<const char*>(image.code.data()), image.code.size()});
  image.code.clear();
  return fmt::format("{:016x} {:016x}", code, digest(write_entry({"", std::move(image)})));
}

void print_images(const std::string& path, const std::string& cpu) {
  auto text = syntax::load_text(path);
  if (!text.ok()) return fmt::print("{}: {}\n", path, text.error().message);
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  check::CompileOptions how;
  how.versions = check::Versions::newer;
  const check::Compiled checked =
      check::compile({{std::string(name), std::move(*text)}}, &machine::provides, how);
  if (!checked.module) return fmt::print("{}: not valid\n", name);
  const auto memory = machine::Memory::create(u64{1} << 28);
  const auto loaded = machine::Loaded::create(**memory, checked.module);
  if (!loaded.ok()) return fmt::print("{}: {}\n", name, loaded.error().message);
  for (u32 id = 0; id < checked.module->functions.size(); ++id) {
    const ir::Function& function = checked.module->functions[id];
    if (!function.is_entry) continue;
    for (const machine::Dim3& block : kBlocks) {
      const machine::SharedLayout shared = (*loaded)->shared_layout(ir::FunctionId{id});
      Request request;
      request.module = checked.module.get();
      request.entry = ir::FunctionId{id};
      request.shared = &shared;
      request.block = block;
      request.cpu = cpu;
      const auto compiled = compile(request);
      const std::string what = compiled.ok() ? digests(compiled->image) : compiled.error().message;
      fmt::print("{} {} {}x{} {}\n", name, function.name, block.x, block.y, what);
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace heddle::jit

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  std::string cpu;
  if (files.size() > 1 && files[0] == "--cpu") {
    cpu = files[1];
    files.erase(files.begin(), files.begin() + 2);
  }
  for (const std::string& file : files) heddle::jit::print_images(file, cpu);
}
