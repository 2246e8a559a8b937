// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = A x, A in compressed rows. All numbers are small integers, so every order of addition gives
// the same sum.
#include "jobs/all.h"
#include "jobs/team.h"

namespace heddle::bench {

Job spmv(int rows) {
  Job job("spmv");
  Random random;
  int elements = 0;
  const auto* begins = job.array<int>(rows + 1, [&](auto) {
    const int begin = elements;
    elements += static_cast<int>(random() % 32);
    return begin;
  });
  const auto* columns = job.array<int>(elements, [&](auto) { return random() % rows; });
  const auto* values = job.array<float>(elements, [&](auto) { return random() % 16; });
  const auto* x = job.array<float>(rows, [&](auto) { return random() % 16; });
  auto* y = job.zeros<float>(rows);
  job.launch("spmv", {ceil_div(rows, 128)}, {128}, rows, begins, columns, values, x, y);
  job.native = [=](Team& team) {
    team.split(rows, 16, [=](long begin, long end) {
      for (long row = begin; row < end; ++row) {
        float sum = 0;
        for (int i = begins[row]; i < begins[row + 1]; ++i) {
          sum += values[i] * x[columns[i]];
        }
        y[row] = sum;
      }
    });
  };
  job.result_in(y);
  return job;
}

}  // namespace heddle::bench
