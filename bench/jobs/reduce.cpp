// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum for each block of 256 times `each` elements. The elements are multiples of 1/4, so every
// order of addition gives the same sum; -ffast-math lets clang vectorize the sum.
#include "jobs/all.h"
#include "jobs/team.h"

namespace heddle::bench {

Job block_sums(unsigned blocks, int each) {
  Job job("reduce");
  const long of_block = 256L * each;
  const auto* x = job.array<float>(blocks * of_block, [](auto i) { return i % 17 * 0.25f; });
  auto* sums = job.zeros<float>(blocks);
  job.launch("block_sums", {blocks}, {256}, each, x, sums);
  job.native = [=](Team& team) {
    team.split(blocks, 1, [=](long begin, long end) {
      for (long block = begin; block < end; ++block) {
        float sum = 0;
        for (long i = block * of_block; i < (block + 1) * of_block; ++i) sum += x[i];
        sums[block] = sum;
      }
    });
  };
  job.result_in(sums);
  return job;
}

}  // namespace heddle::bench
