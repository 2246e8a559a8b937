// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravity of all bodies on all bodies. The native code computes 32 bodies at once; -ffast-math
// turns 1 / sqrt into a reciprocal square root estimate with a Newton step. The tolerance allows
// for its error, which is largest in sums that nearly cancel.
#include "jobs/all.h"
#include "jobs/lanes.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

struct Body {
  float x, y, z, mass;
};

using Reals = float __attribute__((ext_vector_type(2 * kLanes)));

void pull_on(int n, const Body* bodies, int first, Body* pull) {
  Reals x, y, z, ax = 0, ay = 0, az = 0;
  for (int i = 0; i < 2 * kLanes; ++i) {
    x[i] = bodies[first + i].x, y[i] = bodies[first + i].y, z[i] = bodies[first + i].z;
  }
  for (int j = 0; j < n; ++j) {
    const Reals dx = bodies[j].x - x, dy = bodies[j].y - y, dz = bodies[j].z - z;
    const Reals inverse = 1 / __builtin_elementwise_sqrt(dx * dx + (dy * dy + (dz * dz + 0.01f)));
    const Reals scale = bodies[j].mass * inverse * inverse * inverse;
    ax += dx * scale;
    ay += dy * scale;
    az += dz * scale;
  }
  for (int i = 0; i < 2 * kLanes; ++i) pull[first + i] = {ax[i], ay[i], az[i], 0};
}

}  // namespace

Job nbody(int n) {
  Job job("nbody");
  Random random;
  const auto* bodies = job.array<Body>(n, [&](auto) {
    return Body{random.centred(), random.centred(), random.centred(), random.centred() + 0.5f};
  });
  auto* pull = job.zeros<Body>(n);
  job.launch("nbody", {n / 256u}, {256}, n, bodies, pull);
  job.native = [=](Team& team) {
    team.split(n, 2 * kLanes, [=](long begin, long end) {
      for (long i = begin; i < end; i += 2 * kLanes) pull_on(n, bodies, static_cast<int>(i), pull);
    });
  };
  job.result_in(&pull->x, 5e-3);
  return job;
}

}  // namespace heddle::bench
