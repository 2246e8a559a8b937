// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_isa_decode FILE: tests that the interpreter can decode every legal instruction of
// gen/isa/form_instances.txt. So no instruction that `heddle isa` lists is refused at launch.
#include <fmt/format.h>

#include <string>

#include "check/check.h"
#include "instance.h"
#include "interp/program.h"
#include "machine/loaded.h"

namespace heddle::forms {
namespace {

struct Totals {
  std::size_t run = 0, failed = 0;
};

void decode_one(const Instance& instance, machine::Memory& memory, Totals& totals) {
  const auto complain = [&](std::string_view why) {
    ++totals.failed;
    fmt::print("{}: {} {}\n", instance.where, instance.instruction, why);
  };
  const auto compiled = check::compile({{"instance.ptx", module_of(instance)}});
  if (!compiled.module) return complain("does not check:\n" + compiled.messages());
  const auto loaded = machine::Loaded::create(memory, compiled.module);
  if (!loaded.ok()) return complain(loaded.error().message);
  const ir::Function* kernel = compiled.module->find_function("kernel");
  const ir::FunctionId entry(static_cast<std::size_t>(kernel - compiled.module->functions.data()));
  const auto program = interp::Interpreter().prepare(*loaded, entry);
  ++totals.run;
  if (!program.ok()) complain(program.error().message);
}

int run(const char* path) {
  auto memory = machine::Memory::create(u64{1} << 30);
  HEDDLE_CHECK(memory.ok());
  Totals totals;
  for (const Instance& instance : read_instances(path)) {
    if (instance.legal) decode_one(instance, **memory, totals);
  }
  fmt::print("{} instructions, {} failed\n", totals.run, totals.failed);
  return totals.failed == 0 && totals.run > 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::forms

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: heddle_isa_decode FILE\n");
    return 2;
  }
  return heddle::forms::run(argv[1]);
}
