// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B. The native code is the usual one: panels of B that are 32 columns wide and packed,
// blocks of 64 rows of A, and 8 x 32 elements of C in registers. It sums in order of k, as the
// kernels do.
#include <algorithm>
#include <memory>

#include "jobs/all.h"
#include "jobs/lanes.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

constexpr int kTileRows = 8, kTileColumns = 2 * kLanes;  // of C in registers
constexpr int kBlock = 64, kDepth = 256;  // of A in L2; kDepth rows of a panel of B in L1

// c: kTileRows x kTileColumns, rows n apart. a: kTileRows for each k; b: kTileColumns for each k.
void multiply(int depth, int n, const float* a, const float* b, float* c, bool first) {
  Floats sum[kTileRows][2];
  for (int i = 0; i < kTileRows; ++i) {
    for (int j = 0; j < 2; ++j) {
      sum[i][j] = first ? Floats(0) : load<Floats>(c + i * n + j * kLanes);
    }
  }
  for (int k = 0; k < depth; ++k, a += kTileRows, b += kTileColumns) {
    const Floats b0 = load<Floats>(b), b1 = load<Floats>(b + kLanes);
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] = __builtin_elementwise_fma(Floats(a[i]), b0, sum[i][0]);
      sum[i][1] = __builtin_elementwise_fma(Floats(a[i]), b1, sum[i][1]);
    }
  }
  for (int i = 0; i < kTileRows; ++i) {
    for (int j = 0; j < 2; ++j) store(c + i * n + j * kLanes, sum[i][j]);
  }
}

void rows_of_product(int n, const float* a, const float* panels, float* c) {
  alignas(64) float packed[kBlock * kDepth];
  for (int base = 0; base < n; base += kDepth) {
    const int depth = std::min(kDepth, n - base);
    for (int row = 0; row < kBlock; ++row) {
      for (int k = 0; k < depth; ++k) {
        packed[(row / kTileRows * depth + k) * kTileRows + row % kTileRows] = a[row * n + base + k];
      }
    }
    for (int column = 0; column < n; column += kTileColumns) {
      for (int row = 0; row < kBlock; row += kTileRows) {
        multiply(depth, n, packed + row * depth, panels + column * n + base * kTileColumns,
                 c + row * n + column, base == 0);
      }
    }
  }
}

Job matmul(const char* kernel, int n, Extent grid, Extent block) {
  Job job("matmul");
  Random random;
  const auto* a = job.array<float>(n * n, [&](auto) { return random.centred(); });
  const auto* b = job.array<float>(n * n, [&](auto) { return random.centred(); });
  auto* c = job.zeros<float>(n * n);
  job.launch(kernel, grid, block, n, a, b, c);
  std::shared_ptr<float[]> panels(new (std::align_val_t(64)) float[n * n],
                                  [](float* p) { operator delete[](p, std::align_val_t(64)); });
  job.native = [=](Team& team) {
    team.split(n / kTileColumns, 1, [&](long begin, long end) {
      for (long panel = begin; panel < end; ++panel) {
        float* packed = &panels[panel * n * kTileColumns];
        for (int k = 0; k < n; ++k) {
          std::copy_n(b + k * n + panel * kTileColumns, kTileColumns, packed + k * kTileColumns);
        }
      }
    });
    team.each(n / kBlock, [&](long block) {
      rows_of_product(n, a + block * kBlock * n, panels.get(), c + block * kBlock * n);
    });
  };
  job.result_in(c);
  return job;
}

}  // namespace

Job matmul_tiled(int n, unsigned side) {
  return matmul(side == 32 ? "matmul_32" : "matmul_16", n, {n / side, n / side}, {side, side});
}

Job matmul_registers(int n) {
  const unsigned blocks = n / 128;
  return matmul("matmul_8x8", n, {blocks, blocks}, {256});
}

}  // namespace heddle::bench
