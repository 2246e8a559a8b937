// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle jit: what the compiler makes of a kernel, step by step.
#include <fmt/format.h>

#include "cli/args.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "jit/compiler.h"
#include "machine/device_runtime.h"
#include "machine/loaded.h"

namespace heddle::cli {

int show_compiled(const JitOptions& options) {
  const machine::Profile* const profile = chosen_profile();
  if (!profile) return kUsage;
  const auto block = parse_extent(options.block);
  if (!block.ok()) return fail("--block: " + block.error().message);
  auto text = read_file(options.file);
  if (!text.ok()) return fail(text.error().message);
  const std::vector<check::Input> inputs = {
      {options.file == "-" ? "<stdin>" : options.file, std::move(*text)}};
  check::CompileOptions how;
  how.for_sm_1x = machine::is_sm_1x(*profile);
  const check::Compiled checked = check::compile(inputs, &machine::provides, how);
  fmt::print(stderr, "{}", checked.messages);
  if (!checked.module) return kBadPtx;
  const auto entry = find_kernel(*checked.module, options.entry);
  if (!entry.ok()) return fail(entry.error().message);
  const auto memory = machine::Memory::create(profile->memory_bytes);
  if (!memory.ok()) return fail(memory.error().message);
  const auto loaded = machine::Loaded::create(**memory, checked.module);
  if (!loaded.ok()) return fail(loaded.error().message);

  const machine::SharedLayout shared = (*loaded)->shared_layout(*entry);
  jit::Request request;
  request.module = checked.module.get();
  request.entry = *entry;
  request.shared = &shared;
  request.block = *block;
  request.cpu = options.cpu;
  request.dump = options.dump == "scalar"    ? jit::Dump::scalar
                 : options.dump == "uniform" ? jit::Dump::uniform
                 : options.dump == "vector"  ? jit::Dump::vector
                                             : jit::Dump::code;
  const auto compiled = jit::compile(request);
  if (!compiled.ok()) {
    fmt::print(stderr, "heddle: {} stays in the interpreter: {}\n",
               checked.module->functions[entry->value].name, compiled.error().message);
    return kTrapped;
  }
  fmt::print("{}", compiled->dump);
  return kOk;
}

}  // namespace heddle::cli
