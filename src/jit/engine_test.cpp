// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiers and the cache, with a fallback engine that leaves another mark than the kernel does: each
// CTA's mark tells which engine ran it.
#include "jit/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "check/check.h"
#include "jit/background.h"
#include "jit/compiler.h"
#include "jit/engine_comparison.h"
#include "jit/version.h"
#include "machine/launch.h"

namespace heddle::jit {
namespace {

using machine::Dim3;
using testing::Each;

constexpr u32 kBelow = 1, kCompiled = 2;

/// Stores kCompiled at marks[%ctaid.x]. The number makes each of them another kernel.
std::string kernel(int number) {
  return R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry mark(.param .u64 marks)
{
  .reg .u32 %r<4>; .reg .u64 %a<4>;
  ld.param.u64 %a1, [marks];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a3, %a1, %a2;
  mov.u32 %r3, )" +
         std::to_string(number) + R"(;
  sub.u32 %r2, %r3, )" +
         std::to_string(number - 2) + R"(;
  st.global.u32 [%a3], %r2;
  ret;
}
)";
}

/// A kernel with more instructions than are compiled: it stays in the interpreter.
std::string too_long() {
  std::string text = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry takes(.param .u64 marks)
{
  .reg .u32 %r;
  mov.u32 %r, %tid.x;
)";
  for (int i = 0; i < 20'000; ++i) text += "add.u32 %r, %r, 1;\n";
  return text + "}\n";
}

/// Stores kCompiled at marks[%ctaid.x] when all CTAs of the cluster have arrived.
constexpr const char* kMeets = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry meets(.param .u64 marks)
{
  .reg .u32 %r<4>; .reg .u64 %a<4>;
  ld.param.u64 %a1, [marks];
  barrier.cluster.arrive;
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a3, %a1, %a2;
  barrier.cluster.wait;
  st.global.u32 [%a3], 2;
  ret;
}
)";

/// CTA n > 0 waits until CTA n - 1 has left its mark.
constexpr const char* kLooks = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry looks(.param .u64 marks)
{
  .reg .u32 %r<3>; .reg .u64 %a<3>; .reg .pred %p;
  ld.param.u64 %a1, [marks];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a1, %a1, %a2;
  setp.eq.u32 %p, %r1, 0;
  @%p bra go;
again:
  ld.acquire.gpu.global.u32 %r2, [%a1+-4];
  setp.ne.u32 %p, %r2, 2;
  @%p bra again;
go:
  mov.u32 %r2, 2;
  st.release.gpu.global.u32 [%a1], %r2;
  ret;
}
)";

/// CTA number n stores 1 + ctaid.x + 100 * ctaid.y + 10000 * ctaid.z at places[n], of 3 x 2 x 2.
constexpr const char* kPlace = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry tell_place(.param .u64 places)
{
  .reg .u32 %x, %y, %z, %r<7>; .reg .u64 %a<3>;
  ld.param.u64 %a0, [places];
  mov.u32 %x, %ctaid.x;
  mov.u32 %y, %ctaid.y;
  mov.u32 %z, %ctaid.z;
  mad.lo.u32 %r1, %z, 2, %y;
  mad.lo.u32 %r2, %r1, 3, %x;
  mad.wide.u32 %a1, %r2, 4, %a0;
  mad.lo.u32 %r4, %y, 100, %x;
  mad.lo.u32 %r5, %z, 10000, %r4;
  add.u32 %r6, %r5, 1;
  st.global.u32 [%a1], %r6;
  ret;
}
)";

/// What CTA number n of the fallback engine does beside leaving a mark.
using Beside = std::function<void(u64 index)>;

class MarkingCta final : public machine::Cta {
 public:
  MarkingCta(const machine::Launch& launch, const Beside& beside)
      : launch_(launch), beside_(beside) {}
  Result<u64> begin(u64 index, u64) override {
    index_ = index;
    return 1;
  }
  machine::CtaStatus run(u64) override {
    u64 marks;
    std::memcpy(&marks, launch_.config->params.data(), sizeof marks);
    reinterpret_cast<u32*>(marks)[index_] = kBelow;
    if (beside_) beside_(index_);
    return machine::CtaStatus::finished;
  }
  const machine::Trap& trap() const override { return trap_; }

 private:
  const machine::Launch& launch_;
  const Beside& beside_;
  u64 index_ = 0;
  machine::Trap trap_{};
};

class MarkingProgram final : public machine::Program {
 public:
  explicit MarkingProgram(Beside beside) : beside_(std::move(beside)) {}
  std::unique_ptr<machine::Cta> make_cta(machine::Launch& launch) const override {
    return std::make_unique<MarkingCta>(launch, beside_);
  }
  std::string_view engine(const machine::LaunchConfig&) const override { return "below"; }

 private:
  const Beside beside_;
};

class MarkingEngine final : public machine::Engine {
 public:
  explicit MarkingEngine(Beside beside) : beside_(std::move(beside)) {}
  Result<std::shared_ptr<const machine::Program>> prepare(std::shared_ptr<const machine::Loaded>,
                                                          ir::FunctionId) override {
    return std::shared_ptr<const machine::Program>(std::make_shared<MarkingProgram>(beside_));
  }

 private:
  const Beside beside_;
};

class Tiers : public testing::Test {
 protected:
  Tiers() : profile_(*machine::find_profile("")), memory_(*machine::Memory::create(1 << 26)) {
    std::string name = testing::TempDir() + "heddle-tiers-XXXXXX";
    folder_ = mkdtemp(name.data());
    cache.emplace(folder_, 1 << 20);
  }
  ~Tiers() override {
    wait_for_background();
    std::filesystem::remove_all(folder_);
  }
  void SetUp() override {
    if (compiler_build().empty()) GTEST_SKIP() << "a build without the compiler";
  }

  struct Ready {
    std::shared_ptr<const machine::Loaded> loaded;
    std::shared_ptr<const machine::Program> program;
  };
  Ready prepare(const std::string& text, const Options& options, Beside beside = {}) {
    Engine engine(std::make_unique<MarkingEngine>(std::move(beside)), options);
    const check::Compiled compiled = check::compile({{"<memory>", text}});
    EXPECT_TRUE(compiled.module) << compiled.messages();
    auto loaded = machine::Loaded::create(*memory_, compiled.module);
    EXPECT_TRUE(loaded.ok());
    auto program = engine.prepare(*loaded, ir::FunctionId(0));
    return {*loaded, *program};
  }

  machine::LaunchConfig config_of(u32 ctas, u32 threads) const {
    machine::LaunchConfig config;
    config.workers = workers;
    config.grid = {ctas, 1, 1};
    config.block = {threads, 1, 1};
    return config;
  }
  /// Which engine ran each CTA.
  std::vector<u32> launch(const Ready& ready, machine::LaunchConfig config) {
    const u32 ctas = config.grid.x;
    const u64 marks = *memory_->allocate(u64{4} * ctas);
    config.params.resize(8);
    std::memcpy(config.params.data(), &marks, 8);
    const auto result =
        machine::launch(profile_, *ready.program, *ready.loaded, ir::FunctionId(0), config);
    EXPECT_EQ(result.index(), 0u);
    const u32* begin = reinterpret_cast<const u32*>(marks);
    std::vector<u32> all(begin, begin + ctas);
    memory_->release(marks);
    return all;
  }
  std::vector<u32> launch(const Ready& ready, u32 ctas, u32 threads = 32) {
    return launch(ready, config_of(ctas, threads));
  }
  std::string_view engine_of(const Ready& ready, u32 threads = 32) {
    return ready.program->engine(config_of(1, threads));
  }

  u32 workers = 1;  ///< host threads of a launch
  std::optional<Cache> cache;
  const machine::Profile& profile_;
  std::unique_ptr<machine::Memory> memory_;

 private:
  std::string folder_;
};

Options at_once(Cache* cache = nullptr) { return {.at_once = true, .cache = cache}; }
/// The fallback engine takes no time.
Options hot_at_once(Cache* cache = nullptr) {
  return {.hot = {}, .hot_by_instruction = {}, .goes_back = false, .cache = cache};
}
Options never_hot(Cache* cache = nullptr) { return {.hot = std::chrono::hours(1), .cache = cache}; }

TEST_F(Tiers, AtOnceMeansBeforeTheFirstCta) {
  const Ready ready = prepare(kernel(100), at_once());
  EXPECT_THAT(launch(ready, 5), Each(kCompiled));
  EXPECT_EQ(engine_of(ready), "jit");
  EXPECT_EQ(engine_of(ready, 64), "below") << "another shape";
}

TEST_F(Tiers, AColdKernelStaysBelow) {
  const Ready ready = prepare(kernel(101), never_hot());
  EXPECT_THAT(launch(ready, 5), Each(kBelow));
  wait_for_background();
  EXPECT_THAT(launch(ready, 5), Each(kBelow));
  EXPECT_EQ(engine_of(ready), "below");
}

TEST_F(Tiers, ARunningLaunchChangesOver) {
  for (const u32 last : {1u, 3u}) {
    SCOPED_TRACE(last);
    const Ready ready =
        prepare(kernel(400 + static_cast<int>(last)), hot_at_once(), [last](u64 index) {
          if (index == last) wait_for_background();  // the kernel is hot since CTA 0
        });
    const std::vector<u32> marks = launch(ready, 8);
    EXPECT_EQ(marks[0], kBelow);
    EXPECT_TRUE(std::ranges::is_sorted(marks)) << "there is no way back";
    EXPECT_THAT(std::vector<u32>(marks.begin() + last + 1, marks.end()), Each(kCompiled));
    EXPECT_EQ(engine_of(ready), "interpreter, then jit");
    EXPECT_THAT(launch(ready, 8), Each(kCompiled));
    EXPECT_EQ(engine_of(ready), "jit");
  }
}

/// A worker may begin with any CTA and continue with any other.
TEST_F(Tiers, CtasBeginAtAnyPlace) {
  const Ready ready = prepare(kPlace, at_once());
  machine::LaunchConfig config = config_of(3, 32);
  config.grid = {3, 2, 2};
  const u32 ctas = 12;
  const u64 places = *memory_->allocate(u64{4} * ctas);
  config.params.resize(8);
  std::memcpy(config.params.data(), &places, 8);
  machine::Launch launch{};
  launch.loaded = ready.loaded.get();
  launch.config = &config;
  launch.profile = &profile_;
  launch.grid = config.grid;
  launch.params = *memory_->allocate(8);
  std::memcpy(reinterpret_cast<void*>(launch.params), &places, 8);
  struct Batch {
    u32 first, count;
  };
  for (const std::vector<Batch>& batches :
       std::vector<std::vector<Batch>>{{{0, 12}},
                                       {{0, 1}, {1, 1}, {2, 10}},
                                       {{1, 1}},
                                       {{2, 5}, {0, 2}, {7, 5}},
                                       {{11, 1}, {4, 4}},
                                       {{7, 1}, {7, 1}}}) {
    std::vector<u32> expected(ctas);
    std::memset(reinterpret_cast<void*>(places), 0, 4 * ctas);
    const std::unique_ptr<machine::Cta> cta = ready.program->make_cta(launch);
    for (const Batch& batch : batches) {
      const auto begun = cta->begin(batch.first, batch.count);
      ASSERT_TRUE(begun.ok());
      ASSERT_EQ(*begun, batch.count);
      ASSERT_EQ(cta->run(1'000'000), machine::CtaStatus::finished);
      for (u32 i = batch.first; i < batch.first + batch.count; ++i)
        expected[i] = 1 + i % 3 + 100 * (i / 3 % 2) + 10000 * (i / 6);
      const u32* told = reinterpret_cast<const u32*>(places);
      EXPECT_EQ(std::vector<u32>(told, told + ctas), expected) << batch.first << '+' << batch.count;
    }
  }
}

TEST_F(Tiers, WorkersChangeOverOneByOne) {
  workers = 4;
  for (int round = 0; round < 4; ++round) {
    const Ready ready = prepare(kernel(300 + round), hot_at_once(), [](u64 index) {
      if (index == 1000) wait_for_background();
    });
    EXPECT_THAT(launch(ready, 20'000), Each(testing::AnyOf(kBelow, kCompiled)));
    wait_for_background();
    EXPECT_THAT(launch(ready, 20'000), Each(kCompiled));
    EXPECT_EQ(engine_of(ready), "jit");
  }
}

TEST_F(Tiers, EachShapeIsHotByItself) {
  const Ready ready = prepare(kernel(103), hot_at_once());
  launch(ready, 1, 32);
  wait_for_background();
  EXPECT_THAT(launch(ready, 2, 32), Each(kCompiled));
  EXPECT_EQ(launch(ready, 1, 64).at(0), kBelow);
}

TEST_F(Tiers, SomeLaunchesStayBelow) {
  const Ready ready = prepare(kernel(104), at_once());
  machine::LaunchConfig config = config_of(4, 32);
  config.schedule = 1;
  EXPECT_THAT(launch(ready, config), Each(kBelow));
  EXPECT_EQ(ready.program->engine(config), "below");
  EXPECT_THAT(launch(ready, 4), Each(kCompiled));
}

TEST_F(Tiers, ClustersAreCompiled) {
  machine::LaunchConfig config = config_of(6, 64);
  for (const u32 size : {1u, 2u, 3u}) {
    config.cluster = Dim3{size, 1, 1};
    EXPECT_THAT(launch(prepare(kernel(105), at_once()), config), Each(kCompiled));
    EXPECT_THAT(launch(prepare(kMeets, at_once()), config), Each(kCompiled));
  }
}

TEST_F(Tiers, CtasThatWaitForEachOtherAreBegunInOrder) {
  for (const bool waits : {false, true}) {
    const Ready ready = prepare(waits ? kLooks : kernel(112), at_once());
    machine::LaunchConfig config = config_of(300, 32);
    EXPECT_THAT(launch(ready, config), Each(kCompiled));
    config.cooperative = true;
    EXPECT_THAT(launch(ready, config), Each(kCompiled));
    machine::Launch begun{};
    begun.config = &config;
    begun.grid = config.grid;
    begun.cluster = {1, 1, 1};
    EXPECT_EQ(ready.program->in_order(begun), waits);
  }
}

TEST_F(Tiers, WhatCannotBeCompiledStaysBelow) {
  for (const Options& options : {at_once(), hot_at_once()}) {
    const Ready ready = prepare(too_long(), options);
    for (int i = 0; i < 3; ++i) {
      EXPECT_THAT(launch(ready, 2), Each(kBelow));
      wait_for_background();
    }
    EXPECT_EQ(engine_of(ready), "below");
  }
}

/// A kernel for which the compiler needs some seconds.
std::string slow(int number) {
  std::string text = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry slow(.param .u64 marks)
{
  .reg .u32 %r<4>; .reg .u64 %a<4>; .reg .f64 %d<3>;
  ld.param.u64 %a1, [marks];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, )" + std::to_string(number) +
                     R"(;
  cvt.rn.f64.u32 %d0, %r1;
  cvt.rn.f64.u32 %d1, %r2;
)";
  for (int i = 0; i < 9'000; ++i) text += "div.rn.f64 %d0, %d1, %d0;\nadd.f64 %d1, %d1, %d0;\n";
  return text + R"(
  cvt.rni.u32.f64 %r3, %d0;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a3, %a1, %a2;
  st.global.u32 [%a3], %r3;
}
)";
}

TEST_F(Tiers, WhatTakesTooLongStaysBelow) {
  using namespace std::chrono_literals;
  for (Options options : {at_once(), hot_at_once()}) {
    options.budget = 30ms;
    const Ready ready = prepare(slow(1), options);
    testing::internal::CaptureStderr();
    launch(ready, 2);
    wait_for_background();
    EXPECT_THAT(launch(ready, 2), Each(kBelow));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said,
              "heddle: slow stays in the interpreter: compiling it takes more than 0.03 s of a "
              "processor's time (HEDDLE_JIT_BUDGET)\n");
    EXPECT_EQ(engine_of(ready), "below");
  }
  // The next kernel is compiled beside those that were left behind.
  EXPECT_THAT(launch(prepare(kernel(140), at_once()), 2), Each(kCompiled));
}

/// Half a millisecond, and a mark.
std::string busy(int number) {
  return R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry busy(.param .u64 marks)
{
  .reg .u32 %r<4>; .reg .u64 %a<4>; .reg .pred %p;
  ld.param.u64 %a1, [marks];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a3, %a1, %a2;
  mov.u32 %r3, )" +
         std::to_string(number) + R"(;
again:
  ld.volatile.global.u32 %r2, [%a3];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 300000;
  @%p bra again;
  mov.u32 %r2, 2;
  st.global.u32 [%a3], %r2;
  ret;
}
)";
}

TEST_F(Tiers, WhatIsSlowerGoesBack) {
  Options options = hot_at_once(&*cache);
  options.goes_back = true;
  for (const bool is_slower : {true, false}) {
    SCOPED_TRACE(is_slower);
    const Ready ready = prepare(is_slower ? busy(1) : kernel(150), options, [&](u64) {
      // The fallback engine takes no time, or longer than the code.
      if (!is_slower) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    launch(ready, 16);
    wait_for_background();
    for (int i = 0; i < 60; ++i) launch(ready, 100);
    EXPECT_THAT(launch(ready, 8), Each(is_slower ? kBelow : kCompiled));
    EXPECT_EQ(engine_of(ready), is_slower ? "below" : "jit");
  }
  // The next process finds the result in the cache.
  const Ready again = prepare(busy(1), options);
  launch(again, 1);
  wait_for_background();
  EXPECT_THAT(launch(again, 2), Each(kBelow));
}

TEST(EngineComparison, TurnsDecide) {
  using Verdict = EngineComparison::Verdict;
  using namespace std::chrono_literals;
  struct Case {
    std::chrono::nanoseconds before, code, below;
    Verdict verdict;
  };
  for (const Case& one : {Case{1ms, 500us, 1ms, Verdict::code},
                          // The CTAs have more to do than before.
                          Case{1us, 1ms, 20ms, Verdict::code}, Case{1us, 1ms, 1ms, Verdict::code},
                          Case{1ms, 2ms, 1ms, Verdict::interpreter},
                          // The CTAs take too long to be tried in the interpreter.
                          Case{1ms, 20ms, 1ms, Verdict::code}}) {
    EngineComparison comparison;
    comparison.ran(false, one.before * 10, 10);
    bool goes_back = false;
    for (int i = 0; i < 200; ++i) {
      const bool in_code = comparison.next_is_code();
      goes_back |= comparison.ran(in_code, in_code ? one.code : one.below, 1);
    }
    EXPECT_EQ(comparison.verdict(), one.verdict);
    EXPECT_EQ(goes_back, one.verdict == Verdict::interpreter);
  }
}

TEST_F(Tiers, WithoutABudgetNothingIsCompiled) {
  Options options = at_once();
  options.budget = {};
  EXPECT_THAT(launch(prepare(kernel(141), options), 2), Each(kBelow));
}

TEST_F(Tiers, TheCacheRemembersABudget) {
  using namespace std::chrono_literals;
  Options options = at_once(&*cache);
  options.budget = {};
  launch(prepare(kernel(142), options), 1);
  EXPECT_FALSE(std::filesystem::is_empty(cache->folder()));
  options.budget = 1h;
  EXPECT_THAT(launch(prepare(kernel(142), options), 2), Each(kCompiled)) << "another budget";
  options.budget = {};
  EXPECT_THAT(launch(prepare(kernel(142), options), 2), Each(kCompiled)) << "it has been compiled";
}

/// A launch does not wait for the compiler longer than its time limit.
TEST_F(Tiers, ALaunchDoesNotWaitLongerThanItMayRun) {
  Options options = at_once();
  options.budget = std::chrono::milliseconds(300);
  const Ready ready = prepare(slow(2), options);
  machine::LaunchConfig config = config_of(1, 32);
  config.params.resize(8);
  config.time_limit = 0.02;
  const auto late =
      machine::launch(profile_, *ready.program, *ready.loaded, ir::FunctionId(0), config);
  const auto* trap = std::get_if<machine::Trap>(&late);
  ASSERT_NE(trap, nullptr);
  EXPECT_EQ(trap->kind, machine::TrapKind::time_limit);
  EXPECT_EQ(engine_of(ready), "below") << "the compiler is at it still";
}

TEST_F(Tiers, LongKernelsAreHotLater) {
  using namespace std::chrono_literals;
  const Options options{.hot = {}, .hot_by_instruction = 1h};
  const Ready ready = prepare(kernel(130), options);
  EXPECT_THAT(launch(ready, 1000), Each(kBelow));
  wait_for_background();
  EXPECT_THAT(launch(ready, 2), Each(kBelow));
}

TEST(Background, WhatIsMostUrgentIsNext) {
  std::vector<int> order;
  std::atomic<bool> go{false};
  in_background([&] { go.wait(false); }, [] { return 1e9; });
  // The first kernel may have begun before the others were queued; otherwise it is the most urgent
  // one.
  for (const int urgency : {2, 7, 1, 7, 5})
    in_background([&order, urgency] { order.push_back(urgency); }, [=] { return urgency; });
  go = true;
  go.notify_all();
  wait_for_background();
  EXPECT_EQ(order, (std::vector{7, 7, 5, 2, 1}));
}

TEST_F(Tiers, TheCacheHasItForTheFirstCta) {
  EXPECT_THAT(launch(prepare(kernel(105), at_once(&*cache)), 2), Each(kCompiled));
  const Ready again = prepare(kernel(105), never_hot(&*cache));
  EXPECT_THAT(launch(again, 2), Each(kCompiled));
  EXPECT_EQ(engine_of(again), "jit");
  EXPECT_THAT(launch(again, 2, 64), Each(kBelow)) << "another shape";
  EXPECT_THAT(launch(prepare(kernel(106), never_hot(&*cache)), 2), Each(kBelow))
      << "another kernel";
}

TEST_F(Tiers, WhatIsCompiledInTheBackgroundIsKept) {
  launch(prepare(kernel(107), hot_at_once(&*cache)), 1);
  wait_for_background();
  // The module may have been unloaded before it was compiled; then there is nothing to keep.
  const Ready ready = prepare(kernel(107), hot_at_once(&*cache));
  launch(ready, 1);
  wait_for_background();
  EXPECT_THAT(launch(prepare(kernel(107), never_hot(&*cache)), 2), Each(kCompiled));
}

TEST_F(Tiers, TheCacheRemembersWhatCannotBeCompiled) {
  const auto only_entry = [&] {
    const auto file = std::filesystem::directory_iterator(cache->folder())->path();
    std::ifstream in(file, std::ios::binary);
    return *read_entry(std::string{std::istreambuf_iterator<char>(in), {}});
  };
  launch(prepare(too_long(), at_once(&*cache)), 1);
  EXPECT_TRUE(std::holds_alternative<Refusal>(only_entry().content));
  std::filesystem::remove_all(cache->folder());
  // A kernel that can be compiled is not, when the cache says that it cannot.
  launch(prepare(kernel(111), at_once(&*cache)), 1);
  cache->put({only_entry().key, Refusal{"a reason"}});
  EXPECT_THAT(launch(prepare(kernel(111), at_once(&*cache)), 2), Each(kBelow));
}

TEST_F(Tiers, ADamagedCacheIsReplaced) {
  launch(prepare(kernel(108), at_once(&*cache)), 1);
  for (const auto& file : std::filesystem::directory_iterator(cache->folder()))
    std::filesystem::resize_file(file.path(), 50);
  EXPECT_THAT(launch(prepare(kernel(108), never_hot(&*cache)), 1), Each(kBelow));
  EXPECT_THAT(launch(prepare(kernel(108), at_once(&*cache)), 1), Each(kCompiled));
  EXPECT_THAT(launch(prepare(kernel(108), never_hot(&*cache)), 1), Each(kCompiled));
}

TEST_F(Tiers, SoManyVersionsHaveCode) {
  const Ready ready = prepare(kernel(109), at_once());
  const u32 most = static_cast<u32>(kMostCompiled);
  for (u32 i = 1; i <= most; ++i) launch(ready, 1, 32 * i);
  EXPECT_EQ(engine_of(ready, 32), "jit");
  launch(ready, 1, 32);               // used again
  launch(ready, 1, 32 * (most + 1));  // one too many
  EXPECT_EQ(engine_of(ready, 32), "jit");
  EXPECT_EQ(engine_of(ready, 64), "below") << "evicted: it was not used for longest";
  EXPECT_EQ(engine_of(ready, 96), "jit");
  EXPECT_THAT(launch(ready, 1, 64), Each(kCompiled)) << "compiled again";
}

TEST_F(Tiers, ColdVersionsAreBounded) {
  const Ready ready = prepare(kernel(110), never_hot());
  for (u32 threads = 1; threads <= 2 * kMostVersions; ++threads) launch(ready, 1, threads);
  EXPECT_EQ(launch(ready, 1, 1).at(0), kBelow);
}

TEST_F(Tiers, ACompilationOutlivesItsModule) {
  for (int i = 0; i < 4; ++i) launch(prepare(kernel(200 + i), hot_at_once()), 1);
  wait_for_background();
}

}  // namespace
}  // namespace heddle::jit
