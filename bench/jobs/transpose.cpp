// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposition; the native code transposes squares of 16 by 16 in registers.
#include "jobs/all.h"
#include "jobs/lanes.h"
#include "jobs/team.h"

namespace heddle::bench {

Job transpose(int width, int height) {
  Job job("transpose");
  const auto* in = job.array<unsigned>(width * height, [](auto i) { return i; });
  auto* out = job.zeros<unsigned>(width * height);
  job.launch("transpose", {width / 32u, height / 32u}, {32, 8}, width, height, in, out);
  job.native = [=](Team& team) {
    team.split(width, kLanes, [=](long begin, long end) {
      for (long x = begin; x < end; x += kLanes) {
        for (long y = 0; y < height; y += kLanes) {
          Words rows[kLanes];
          for (int i = 0; i < kLanes; ++i) rows[i] = load<Words>(in + (y + i) * width + x);
          transpose(rows);
          for (int i = 0; i < kLanes; ++i) store(out + (x + i) * height + y, rows[i]);
        }
      }
    });
  };
  job.result_in(out);
  return job;
}

}  // namespace heddle::bench
