// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// N-body: exact because sqrt.rn and div.rn are IEEE operations and the order of adding is fixed.
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(NBody, "nbody");

struct Float4 {
  float x, y, z, w;
};

TEST_P(NBody, VelocitiesAfterOneStep) {
  const int n = 150;
  const auto numbers = random_values<float>(8 * n, 1);
  std::vector<Float4> bodies(n), velocities(n), expected(n);
  for (int i = 0; i < n; ++i) {
    const float* at = &numbers[8 * i];
    bodies[i] = {at[0], at[1], at[2], std::fabs(at[3])};
    velocities[i] = {at[4], at[5], at[6], at[7]};
  }
  for (int i = 0; i < n; ++i) {
    float ax = 0, ay = 0, az = 0;
    for (const Float4& other : bodies) {
      const float dx = other.x - bodies[i].x;
      const float dy = other.y - bodies[i].y;
      const float dz = other.z - bodies[i].z;
      const float r2 = std::fma(dx, dx, std::fma(dy, dy, std::fma(dz, dz, 0.01f)));
      const float inverse = 1.0f / std::sqrt(r2);
      const float pull = other.w * inverse * inverse * inverse;
      ax = std::fma(dx, pull, ax);
      ay = std::fma(dy, pull, ay);
      az = std::fma(dz, pull, az);
    }
    const Float4 v = velocities[i];
    expected[i] = {std::fma(ax, 0.125f, v.x), std::fma(ay, 0.125f, v.y), std::fma(az, 0.125f, v.z),
                   v.w};
  }
  for (unsigned block : {32u, 50u, 64u, 150u, 256u}) {
    const Shape shape = {{(n + block - 1) / block}, {block}, block * 16};
    SCOPED_TRACE(shape);
    Buffer device_bodies(bodies), device_velocities(velocities);
    launch("nbody_step", shape, device_bodies, device_velocities, n);
    EXPECT_SAME(device_velocities, expected);
  }
}

}  // namespace
}  // namespace heddle::kernels
