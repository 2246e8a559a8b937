// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switches with uniform and with divergent values.
#include <bit>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(SwitchDense, "switch_dense");

// clang-format off
enum Opcode : uint32_t {
  kHalt, kPush, kAdd, kSub, kMul, kDup, kSwap, kJump, kJumpIf, kAnd, kShr, kOver, kDrop
};
// clang-format on
constexpr uint32_t op(Opcode code, int argument = 0) {
  return code | static_cast<uint32_t>(argument) << 8;
}

TEST_P(SwitchDense, StackMachineLoopsDifferInEveryLane) {
  // sum = 0; while (n != 0) { sum += n; n -= 1; }
  // clang-format off
  const std::vector<uint32_t> program = {
      op(kPush, 0), op(kSwap),                                   // sum n
      op(kDup),     op(kJumpIf, 6),                              // 2: sum n
      op(kDrop),    op(kHalt),                                   // sum
      op(kSwap),    op(kOver),      op(kAdd),     op(kSwap),     // 6: sum+n n
      op(kPush, 1), op(kSub),       op(kJump, 2)};               // sum+n n-1
  // clang-format on
  const auto inputs = tabulate(200, [](size_t i) { return int(i * 37 % 50); });
  for (const Shape& shape : {Shape{{7}, {32}}, Shape{{2}, {100}}, Shape{{200}, {1}}}) {
    SCOPED_TRACE(shape);
    Buffer device_program(program);
    Buffer device_inputs(inputs);
    Buffer<int> out(inputs.size());
    launch("interpret", shape, device_program, device_inputs, out, int(inputs.size()));
    EXPECT_SAME(out,
                tabulate(inputs.size(), [&](size_t i) { return inputs[i] * (inputs[i] + 1) / 2; }));
  }
}

TEST_P(SwitchDense, StackMachineComputesPolynomials) {
  // ((x * x + 3) * x - 9) >> 2, then -1 for an opcode that does not exist when bit 0 is set.
  // clang-format off
  const std::vector<uint32_t> program = {
      op(kDup),  op(kDup), op(kDup),                // x x x x
      op(kMul),  op(kPush, 3), op(kAdd),            // x x x*x+3
      op(kMul),  op(kPush, 9), op(kSub),            // x (x*x+3)*x-9
      op(kShr, 2),                                  // x result
      op(kSwap), op(kAnd, 1),                       // result x&1
      op(kJumpIf, 14), op(kHalt), 99};
  // clang-format on
  const auto inputs = tabulate(100, [](size_t i) { return int(i) - 50; });
  Buffer device_program(program);
  Buffer device_inputs(inputs);
  Buffer<int> out(inputs.size());
  launch("interpret", {{4}, {25}}, device_program, device_inputs, out, int(inputs.size()));
  EXPECT_SAME(out, tabulate(inputs.size(), [&](size_t i) {
                const int x = inputs[i];
                return x & 1 ? -1 : ((x * x + 3) * x - 9) >> 2;
              }));
}

TEST_P(SwitchDense, EndlessProgramStopsAtTheStepLimit) {
  Buffer<uint32_t> program(std::vector<uint32_t>{op(kJump, 0)});
  Buffer<int> inputs(32), out(32);
  launch("interpret", {{1}, {32}}, program, inputs, out, 32);
  EXPECT_SAME(out, std::vector<int>(32, -2));
}

TEST_P(SwitchDense, EveryCaseInOneWarp) {
  const int n = 400;
  const auto keys = tabulate(n, [](size_t i) { return int(i * 7 % 15) - 1; });
  const auto expected = tabulate(n, [&](size_t index) {
    const int i = int(index);
    switch (keys[i]) {
      case 0:
        return i * 3;
      case 1:
        return i ^ 0x1234;
      case 2:
        return i / 7;
      case 3:
        return i % 11;
      case 4:
      case 5:
        return i + 1000;
      case 6:
        return -i;
      case 7:
      case 8:
        return i * i;
      case 9:
        return keys[(i + 1) % n];
      case 10:
        return 77;
      case 11:
        return std::popcount(index);
      default:
        return keys[i] < 0 ? -1 : 12345;
    }
  });
  for (const Shape& shape : {Shape{{13}, {32}}, Shape{{4}, {100}}}) {
    SCOPED_TRACE(shape);
    Buffer device_keys(keys);
    Buffer<int> out(n);
    launch("classify", shape, device_keys, out, n);
    EXPECT_SAME(out, expected);
  }
}

}  // namespace
}  // namespace heddle::kernels
