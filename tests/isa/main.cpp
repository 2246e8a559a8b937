// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_isa_cases FILE: runs every `case` of the instruction tables, through checker and machine,
// and compares the results bit for bit. Prints the place of each failed case; exit status 1 when a
// case fails or does not run. --print shows the kernels instead.
#include <fmt/format.h>

#include <cstring>

#include "engine/engine.h"
#include "interp/level.h"
#include "runner.h"

namespace heddle::isa_cases {
namespace {

void print(const Plan& plan) {
  for (const Batch& batch : plan.batches) {
    fmt::print("{}", batch.place.header());
    for (const Job& job : batch.jobs) fmt::print("// {}\n{}", job.cases[0]->where, job.text);
  }
}

int run(const CaseFile& file, const Plan& plan) {
  for (const std::string& error : file.errors) fmt::print("{}\n", error);
  for (const Case* test : plan.nowhere) {
    fmt::print("{}: {}: no version and target has it\n", test->where, test->mnemonic);
  }
  const auto engine = engine::make_engine();
  Runner runner(*engine);
  for (const Batch& batch : plan.batches) runner.run(batch);

  const std::size_t not_run = file.cases.size() - runner.ran().size();
  fmt::print("handlers for {}: {} cases in {} groups, {} results compared; {} failed, {} not run\n",
             interp::best_level().name, file.cases.size(), plan.groups.size(), runner.compared(),
             runner.failed().size(), not_run);
  const bool good = file.errors.empty() && runner.failed().empty() && not_run == 0;
  return good && !file.cases.empty() ? 0 : 1;
}

}  // namespace
}  // namespace heddle::isa_cases

int main(int argc, char** argv) {
  using namespace heddle::isa_cases;
  const bool print_only = argc == 3 && std::strcmp(argv[2], "--print") == 0;
  if (argc != 2 && !print_only) {
    fmt::print(stderr, "usage: heddle_isa_cases FILE [--print]\n");
    return 2;
  }
  const CaseFile file = read_cases(argv[1]);
  const Plan plan = heddle::isa_cases::plan(file.cases);
  if (!print_only) return run(file, plan);
  print(plan);
  return 0;
}
