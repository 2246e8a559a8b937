// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include "check/check.h"
#include "machine/launch.h"

namespace heddle::machine {
namespace {

using testing::HasSubstr;
using Reason = LaunchError::Reason;

constexpr const char* kText = R"(
.version 8.5
.target sm_75
.address_size 64
.entry any() { .shared .b8 x[1000]; st.shared.b8 [x], 1; ret; }
.entry small() .maxntid 64 { ret; }
.entry one_shape() .reqntid 32, 2 { ret; }
)";

struct Case {
  const char* kernel;
  LaunchShape shape;
  LaunchLimits limits;
  Reason reason;
  const char* said;
};

LaunchShape shape(Dim3 grid, Dim3 block, u32 dynamic_shared = 0) {
  LaunchShape shape{grid, block};
  shape.dynamic_shared = dynamic_shared;
  return shape;
}
LaunchShape in_clusters(Dim3 grid, Dim3 cluster) {
  LaunchShape shape{grid, {32, 1, 1}};
  shape.cluster = cluster;
  return shape;
}
LaunchShape cooperative(Dim3 grid) {
  LaunchShape shape{grid, {32, 1, 1}};
  shape.cooperative = true;
  return shape;
}
LaunchLimits dynamic_shared(u32 bytes) { return {.dynamic_shared = bytes}; }
LaunchLimits resident(u64 ctas) { return {.resident = ctas}; }

class LaunchCheck : public testing::Test {
 protected:
  Result<CheckedLaunch, LaunchError> check(const char* kernel, const LaunchShape& shape,
                                           const LaunchLimits& limits) {
    for (std::size_t i = 0; i < module_->functions.size(); ++i) {
      if (module_->functions[i].name == kernel)
        return check_launch(*find_profile(""), *loaded_, ir::FunctionId(i), shape, limits);
    }
    HEDDLE_UNREACHABLE();
  }

 private:
  const std::shared_ptr<const ir::Module> module_ = check::compile({{"launches", kText}}).module;
  const std::unique_ptr<Memory> memory_ = *Memory::create(u64{1} << 26);
  const std::shared_ptr<const Loaded> loaded_ = *Loaded::create(*memory_, module_);
};

TEST_F(LaunchCheck, SaysWhatIsWrongAndWhatIsPossible) {
  const Case cases[] = {
      {"any",
       shape({1, 1, 1}, {2048, 1, 1}),
       {},
       Reason::invalid_value,
       "kernel 'any': block.x is 2048, must be 1 to 1024"},
      {"any",
       shape({1, 0, 1}, {1, 1, 1}),
       {},
       Reason::invalid_value,
       "kernel 'any': grid.y is 0, must be 1 to 65535"},
      {"any",
       shape({1, 1, 1}, {64, 32, 1}),
       {},
       Reason::invalid_value,
       "kernel 'any': 2048 threads a block, at most 1024 possible"},
      {"small",
       shape({1, 1, 1}, {65, 1, 1}),
       {},
       Reason::invalid_value,
       "kernel 'small': 65 threads a block, but the kernel says .maxntid 64"},
      {"one_shape",
       shape({1, 1, 1}, {64, 1, 1}),
       {},
       Reason::invalid_value,
       "kernel 'one_shape': block.x is 64, but the kernel says .reqntid 32"},
      {"any",
       shape({1, 1, 1}, {1, 1, 1}, 1 << 20),
       {},
       Reason::invalid_value,
       "kernel 'any': 1049576 bytes of shared memory a block, at most "},
      {"any", shape({1, 1, 1}, {1, 1, 1}, 101), dynamic_shared(100), Reason::invalid_value,
       "kernel 'any': 101 bytes of dynamic shared memory a block, at most 100 possible; "},
      {"any",
       in_clusters({3, 1, 1}, {2, 1, 1}),
       {},
       Reason::invalid_cluster,
       "kernel 'any': a grid of 3x1x1 CTAs is no whole number of clusters of 2x1x1"},
      {"any",
       in_clusters({9, 1, 1}, {9, 1, 1}),
       {},
       Reason::invalid_cluster,
       "kernel 'any': clusters of 9 CTAs, at most 8 possible"},
      {"any", cooperative({9, 1, 1}), resident(8), Reason::too_large_to_cooperate,
       "kernel 'any': a cooperative launch of 9 blocks, at most 8 can be resident"},
  };
  for (const Case& c : cases) {
    const auto checked = check(c.kernel, c.shape, c.limits);
    ASSERT_FALSE(checked.ok()) << c.said;
    EXPECT_EQ(checked.error().reason, c.reason) << c.said;
    EXPECT_THAT(checked.error().message, HasSubstr(c.said));
  }
}

TEST_F(LaunchCheck, TakesWhatTheDeviceRuns) {
  const Case cases[] = {
      {"any", shape({1, 1, 1}, {1024, 1, 1}, 1000), {}, {}, ""},
      {"any", shape({1, 1, 1}, {1, 1, 1}, 100), dynamic_shared(100), {}, ""},
      {"any", shape({0, 1, 1}, {1, 1, 1}), {.empty_grid = true}, {}, ""},
      {"small", shape({1, 1, 1}, {8, 8, 1}), {}, {}, ""},
      {"one_shape", shape({5, 1, 1}, {32, 2, 1}), {}, {}, ""},
      {"any", in_clusters({4, 2, 1}, {2, 2, 1}), {}, {}, ""},
      {"any", cooperative({8, 1, 1}), resident(8), {}, ""},
      {"any", cooperative({1000, 1, 1}), {}, {}, ""},
  };
  for (const Case& c : cases) {
    const auto checked = check(c.kernel, c.shape, c.limits);
    ASSERT_TRUE(checked.ok()) << checked.error().message;
    EXPECT_EQ(checked->shape().grid, c.shape.grid);
  }
}

}  // namespace
}  // namespace heddle::machine
