// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.h"

#include <cstring>

#include "builder.h"
#include "frame.h"

namespace heddle::generated {
namespace {

using machine::Dim3;

constexpr Dim3 kBlocks[] = {{1, 1, 1},  {17, 1, 1}, {32, 1, 1},  {33, 1, 1},
                            {64, 1, 1}, {8, 8, 1},  {7, 5, 1},   {96, 1, 1},
                            {16, 4, 2}, {3, 11, 2}, {128, 1, 1}, {256, 1, 1}};
constexpr Dim3 kGrids[] = {{1, 1, 1}, {1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {2, 2, 1}};
constexpr u32 kMostThreads = 256;
/// Rare block shapes, with shorter kernels.
constexpr Dim3 kLargeBlocks[] = {{1024, 1, 1}, {16, 32, 1}, {9, 9, 9}, {512, 1, 1}};
constexpr u32 kLargeOneIn = 50;

Function make_function(Random& random, const Catalogue& catalogue, Shared& shared,
                       std::vector<Callee>& callees) {
  Scope scope(random, catalogue, false);
  Callee callee{fmt::format("function_{}", callees.size()), scope.one_in(2)};
  Builder builder(scope, shared, callees, &callee, 14, 120);
  Context context;
  if (callee.needs_members) {
    context.members = "%members";
  } else {
    context.may_end = true;
    callee.exits = scope.one_in(4);
  }
  const Frame frame = function_frame(scope);
  Function function;
  function.body = builder.block(context, 8);
  function.head = function_head(scope, frame, callee.name);
  function.end = frame.end;
  callee.cost = builder.cost() + 4 * static_cast<u32>(scope.pool().size()) + 20;
  callee.changes_sums = builder.changes_sums();
  if (callee.recurses) callee.cost *= kRounds;
  callees.push_back(callee);
  return function;
}

/// Bytes with interesting numbers of all sizes and formats.
std::vector<u8> data(Random& random, u32 bytes) {
  static constexpr u64 kNumbers[] = {0,
                                     ~u64{0},
                                     1,
                                     0x3f8000003f800000,
                                     0x3ff0000000000000,
                                     0x7f8000007fc00000,
                                     0x0000000100000002,
                                     0x3c003c00bc004000,
                                     0x8000000080000000,
                                     0x7fffffff7fffffff,
                                     0xc2c8000042280000,
                                     0x0005000700030002,
                                     0x7ff0000000000000,
                                     0x4059000000000000};
  std::vector<u8> result(bytes);
  for (u32 at = 0; at + 8 <= bytes; at += 8) {
    u64 number = random.next();
    const u32 kind = random.below(6);
    if (kind < 2) number = kNumbers[random.below(std::size(kNumbers))];
    if (kind == 2) number = number % 200 | (number >> 32) % 200 << 32;
    std::memcpy(&result[at], &number, 8);
  }
  return result;
}

std::vector<Cell> cells(Random& random) {
  static constexpr Cell kAll[] = {{"add", "u32", ""},  {"add", "s32", ""}, {"add", "u64", ""},
                                  {"and", "b32", ""},  {"or", "b32", ""},  {"xor", "b32", ""},
                                  {"and", "b64", ""},  {"or", "b64", ""},  {"xor", "b64", ""},
                                  {"min", "u32", ""},  {"max", "s32", ""}, {"min", "s64", ""},
                                  {"max", "u64", ""},  {"min", "s32", ""}, {"max", "u32", ""},
                                  {"inc", "u32", "6"}, {"dec", "u32", "9"}};
  std::vector<Cell> result;
  for (u32 i = 0; i < kCells; ++i) result.push_back(kAll[random.below(std::size(kAll))]);
  return result;
}

/// Kernels for which the compiler lets the processor flush.
constexpr u64 kFlushesOneIn = 8;

const Catalogue& some_catalogue(Random& random) {
  const auto all = catalogues();
  return random.below(2) == 0 ? all[0] : all[random.below(all.size())];
}

void choose_shape(Random& random, Kernel& kernel) {
  if (random.below(kLargeOneIn) == 0) {
    kernel.block = kLargeBlocks[random.below(std::size(kLargeBlocks))];
    return;
  }
  kernel.block = kBlocks[random.below(std::size(kBlocks))];
  do {
    kernel.grid = kGrids[random.below(std::size(kGrids))];
  } while (kernel.grid.volume() * kernel.block.volume() > kMostThreads);
}

}  // namespace

Kernel generate(u64 seed) {
  Random random(seed);
  const bool flushes = seed % kFlushesOneIn == kFlushesOneIn - 1;
  const Catalogue& catalogue = flushes ? flushing_catalogue() : some_catalogue(random);
  Kernel kernel;
  kernel.seed = seed;
  kernel.place = catalogue.place();
  choose_shape(random, kernel);
  Shared shared;
  shared.threads = static_cast<u32>(kernel.block.volume());
  shared.ctas = static_cast<u32>(kernel.grid.volume());
  shared.global_cells = cells(random);
  shared.shared_cells = cells(random);
  kernel.variables = variables(random, kernel, shared);

  std::vector<Callee> callees;
  for (u32 left = random.below(4); left > 0; --left)
    kernel.functions.push_back(make_function(random, catalogue, shared, callees));

  Scope scope(random, catalogue, true);
  Frame frame = kernel_frame(scope, shared);
  Builder builder(scope, shared, callees, nullptr, 80, shared.threads > kMostThreads ? 300 : 1200);
  Context context;
  context.members = "%members";
  context.together = true;
  Function function;
  function.body = builder.block(context, 24);
  function.body.push_back(store_sums(scope));
  // From here on no thread waits for another.
  builder.allow(10, 150);
  Context tail;
  tail.may_end = true;
  tail.sums_are_read = true;
  for (Node& node : builder.block(tail, 6)) function.body.push_back(std::move(node));
  if (shared.uses_object) frame.setup += object_setup(scope, shared);
  function.head = kernel_head(scope, frame, kernel);
  function.end = frame.end;
  kernel.functions.push_back(std::move(function));

  const u32 threads = shared.ctas * shared.threads;
  const u32 cell_bytes = kLockBytes + 8 * kCells + kSumBytes * shared.ctas;
  kernel.buffers.push_back({"input", data(random, kInputBytes)});
  kernel.buffers.push_back({"output", data(random, frame.slice_bytes * threads)});
  kernel.buffers.push_back({"cells", data(random, cell_bytes)});
  std::memset(kernel.buffers.back().initial.data(), 0, kLockBytes);
  kernel.buffers.push_back({"columns", data(random, kColumns * kColumnBytes * threads)});
  kernel.scalars = data(random, kPairBytes);
  return kernel;
}

}  // namespace heddle::generated
