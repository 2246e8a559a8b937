// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_ENGINE=auto and the cache from a program's view. Each case is a child of this process,
// because environment variables are read once, and because many cases test the end of a process.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "client.h"

// A child of fork() lacks the thread that compiles, whose memory is then a false leak. The leak
// checker calls this function.
static bool lost_a_thread = false;
extern "C" int __lsan_is_turned_off() { return lost_a_thread; }

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// out[i] for each thread; `rounds` of a generator of random numbers each.
constexpr const char* kKernel = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry random(.param .u64 out, .param .u32 rounds)
{
  .reg .u64 %a<4>; .reg .u32 %r<8>; .reg .pred %p;
  ld.param.u64 %a1, [out];
  ld.param.u32 %r5, [rounds];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mov.u32 %r6, %r4;
  mov.u32 %r7, 0;
again:
  mul.lo.u32 %r6, %r6, 1664525;
  add.u32 %r6, %r6, 1013904223;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p, %r7, %r5;
  @%p bra again;
  mul.wide.u32 %a2, %r4, 4;
  add.u64 %a3, %a1, %a2;
  st.global.u32 [%a3], %r6;
  ret;
}
)";

unsigned expected(unsigned thread, unsigned rounds) {
  unsigned value = thread;
  for (unsigned i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

constexpr unsigned kThreads = 64;

/// The kernel, in a new context.
class Random {
 public:
  explicit Random(unsigned blocks) : blocks_(blocks) {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuModuleLoadData(&module, kKernel) ||
        cuModuleGetFunction(&function_, module, "random") ||
        cuMemAlloc_v2(&out_, size_t{4} * blocks * kThreads))
      std::_Exit(100);
  }
  void launch(unsigned rounds) {
    void* params[] = {&out_, &rounds};
    rounds_ = rounds;
    if (cuLaunchKernel(function_, blocks_, 1, 1, kThreads, 1, 1, 0, nullptr, params, nullptr))
      std::_Exit(101);
  }
  void wait() const {
    if (cuCtxSynchronize()) std::_Exit(102);
  }
  /// 0: the memory has the expected contents.
  int check() {
    wait();
    std::vector<unsigned> all(size_t{blocks_} * kThreads);
    if (cuMemcpyDtoH_v2(all.data(), out_, all.size() * 4)) return 103;
    for (unsigned i = 0; i < all.size(); ++i) {
      if (all[i] != expected(i, rounds_)) return 104;
    }
    return 0;
  }

 private:
  const unsigned blocks_;
  unsigned rounds_ = 0;
  CUfunction function_ = nullptr;
  CUdeviceptr out_ = 0;
};

class Tiers : public testing::Test {
 protected:
  using Environment = std::vector<std::pair<const char*, std::string>>;
  struct Child {
    pid_t id = -1;
    int output = -1;
  };
  struct Outcome {
    int status = -1;
    std::string said;
  };

  Tiers() {
    std::string name = testing::TempDir() + "heddle-tiers-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Tiers() override { std::filesystem::remove_all(folder_); }
  void SetUp() override {
    // A build without the compiler has one tier.
    const Outcome tried = run({{"HEDDLE_ENGINE", "jit"}}, [] {
      Random random(1);
      random.launch(1);
      return random.check();
    });
    ASSERT_EQ(tried.status, 0) << tried.said;
    if (tried.said.find("libheddle_jit.so is not in") != std::string::npos)
      GTEST_SKIP() << tried.said;
    std::filesystem::remove_all(folder_);
  }

  /// Starts a child that calls exit() with the result of `body`.
  Child start(const Environment& environment, const std::function<int()>& body) const {
    int ends[2];
    if (pipe(ends)) return {};
    std::fflush(nullptr);  // otherwise the child prints the buffered text, too
    const pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDERR_FILENO);
      close(ends[0]);
      close(ends[1]);
      setenv("HEDDLE_CACHE", "1", 1);
      setenv("HEDDLE_CACHE_DIR", folder_.c_str(), 1);
      setenv("HEDDLE_TRACE", "jit,launch", 1);
      setenv("HEDDLE_ENGINE", "auto", 1);
      unsetenv("HEDDLE_SCHEDULE");
      for (const auto& [name, value] : environment) setenv(name, value.c_str(), 1);
      std::exit(body());
    }
    close(ends[1]);
    return {child, ends[0]};
  }
  static Outcome end(const Child& child) {
    Outcome outcome;
    char buffer[512];
    for (ssize_t n; (n = read(child.output, buffer, sizeof buffer)) > 0;)
      outcome.said.append(buffer, static_cast<size_t>(n));
    close(child.output);
    int status = 0;
    waitpid(child.id, &status, 0);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return outcome;
  }
  const std::string& folder() const { return folder_; }
  Outcome run(const Environment& environment, const std::function<int()>& body) const {
    return end(start(environment, body));
  }

 private:
  std::string folder_;
};

// Blocks enough that the interpreter would need many times as long as a compilation takes.
TEST_F(Tiers, ALongLaunchChangesOverAndIsRight) {
  const Outcome outcome = run({{"HEDDLE_JIT_AFTER", "0"}, {"HEDDLE_CACHE", "0"}}, [] {
    Random random(100'000);
    random.launch(200);
    return random.check();
  });
  EXPECT_EQ(outcome.status, 0) << outcome.said;
  EXPECT_THAT(outcome.said, ContainsRegex("random block 64x1x1: hot after .* in the interpreter"));
  EXPECT_THAT(outcome.said, ContainsRegex("compiled in the background in .* ms, .* bytes"));
  EXPECT_THAT(outcome.said, ContainsRegex("heddle: launch: random .* interpreter, then jit\n"));
}

TEST_F(Tiers, AShortKernelIsNotCompiled) {
  const Outcome outcome = run({{"HEDDLE_JIT_AFTER", "100000"}}, [] {
    Random random(4);
    for (int i = 0; i < 10; ++i) random.launch(3);
    return random.check();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.said, Not(HasSubstr("heddle: jit")));
  EXPECT_THAT(outcome.said, HasSubstr(" threads, interpreter\n"));
}

TEST_F(Tiers, TheNextProcessHasTheCode) {
  const auto use = [] {
    Random random(4);
    random.launch(3);
    return random.check();
  };
  const Outcome first = run({{"HEDDLE_ENGINE", "jit"}}, use);
  EXPECT_EQ(first.status, 0);
  EXPECT_THAT(first.said, HasSubstr(": compiled in "));
  for (const char* engine : {"jit", "auto"}) {
    const Outcome next = run({{"HEDDLE_ENGINE", engine}}, use);
    EXPECT_EQ(next.status, 0);
    EXPECT_THAT(next.said, HasSubstr("read from the cache in ")) << engine;
    EXPECT_THAT(next.said, Not(HasSubstr("compiled in"))) << engine;
    EXPECT_THAT(next.said, HasSubstr(" threads, jit\n")) << engine;
  }
  const Outcome off = run({{"HEDDLE_CACHE", "0"}, {"HEDDLE_JIT_AFTER", "100000"}}, use);
  EXPECT_THAT(off.said, Not(HasSubstr("heddle: jit"))) << "HEDDLE_CACHE=0";
}

TEST_F(Tiers, WhereTheCacheIs) {
  const struct {
    Environment environment;
    const char* folder;  // below folder(); null: nowhere
  } kCases[] = {
      {{{"HEDDLE_CACHE_DIR", folder() + "/a/b"}, {"XDG_CACHE_HOME", folder()}}, "a/b"},
      {{{"HEDDLE_CACHE_DIR", ""}, {"XDG_CACHE_HOME", folder() + "/xdg"}, {"HOME", folder()}},
       "xdg/heddle"},
      {{{"HEDDLE_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", folder()}}, ".cache/heddle"},
      {{{"HEDDLE_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "xdg"}, {"HOME", "home"}}, nullptr},
      {{{"HEDDLE_CACHE", "0"}}, nullptr},
  };
  for (auto [environment, where] : kCases) {
    std::filesystem::remove_all(folder());
    environment.emplace_back("HEDDLE_ENGINE", "jit");
    const Outcome outcome = run(environment, [] {
      Random random(1);
      random.launch(1);
      return random.check();
    });
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(std::filesystem::exists(folder()), where != nullptr);
    if (where) {
      EXPECT_FALSE(std::filesystem::is_empty(std::filesystem::path(folder()) / where)) << where;
    }
  }
}

TEST_F(Tiers, ManyProcessesAndOneCache) {
  for (int round = 0; round < 2; ++round) {
    std::vector<Child> children;
    for (int i = 0; i < 6; ++i) {
      children.push_back(
          start({{"HEDDLE_ENGINE", i % 2 ? "jit" : "auto"}, {"HEDDLE_JIT_AFTER", "0"}}, [] {
            Random random(8);
            for (unsigned rounds = 1; rounds < 20; ++rounds) {
              random.launch(rounds);
              if (const int wrong = random.check()) return wrong;
            }
            return 0;
          }));
    }
    for (const Child& child : children) {
      const Outcome outcome = end(child);
      EXPECT_EQ(outcome.status, 0);
      if (round == 1) {
        EXPECT_THAT(outcome.said, HasSubstr("read from the cache"));
      }
    }
  }
}

// At any state of the background thread (it loads LLVM, compiles, writes), and from any thread that
// ends the process.
TEST_F(Tiers, AProcessEndsWhileItCompiles) {
  const auto compile_for = [](int milliseconds) {
    Random random(2);
    random.launch(10);
    random.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    return 7;
  };
  const std::pair<const char*, std::function<int(int)>> kWays[] = {
      {"main returns", compile_for},
      {"another thread calls exit()",
       [&](int milliseconds) {
         std::thread([&] { std::exit(compile_for(milliseconds)); }).join();
         return 1;
       }},
      {"main returns and knows nothing",
       [&](int milliseconds) {
         int result = 1;
         std::thread([&] { result = compile_for(milliseconds); }).join();
         return result;
       }},
  };
  const int rounds = getenv("HEDDLE_TORTURE") ? 20 : 1;  // the timing differs in each round
  for (const auto& [way, body] : kWays) {
    for (int milliseconds = 0; milliseconds < 240 * rounds; milliseconds += 15) {
      const auto begin = std::chrono::steady_clock::now();
      const Outcome outcome =
          run({{"HEDDLE_JIT_AFTER", "0"}, {"HEDDLE_CACHE", "0"}, {"HEDDLE_TRACE", ""}},
              [&] { return body(milliseconds % 240); });
      EXPECT_EQ(outcome.status, 7) << way << " after " << milliseconds % 240;
      EXPECT_EQ(outcome.said, "") << way << " after " << milliseconds % 240;
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
    }
  }
}

// A child of fork() has no thread that compiles, and the parent's thread may hold any lock.
TEST_F(Tiers, AForkWhileItCompiles) {
  for (int milliseconds = 0; milliseconds < 160; milliseconds += 20) {
    const Outcome outcome =
        run({{"HEDDLE_JIT_AFTER", "0"}, {"HEDDLE_CACHE", "0"}, {"HEDDLE_TRACE", ""}}, [&] {
          Random random(2);
          random.launch(10);
          random.wait();
          std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
          const pid_t child = fork();
          if (child == 0) {
            lost_a_thread = true;
            std::exit(5);
          }
          int status = 0;
          waitpid(child, &status, 0);
          return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        });
    EXPECT_EQ(outcome.status, 5) << "after " << milliseconds;
    EXPECT_EQ(outcome.said, "");
  }
}

TEST_F(Tiers, WhatTheEnvironmentMaySay) {
  const struct {
    Environment environment;
    const char* said;
  } kCases[] = {
      {{{"HEDDLE_ENGINE", "gpu"}}, "HEDDLE_ENGINE=gpu: it is auto, interp or jit; using auto"},
      {{{"HEDDLE_JIT_AFTER", "soon"}}, "HEDDLE_JIT_AFTER=soon: it is a number of milliseconds"},
      {{{"HEDDLE_JIT_AFTER", "-1"}}, "HEDDLE_JIT_AFTER=-1: it is a number of milliseconds"},
      {{{"HEDDLE_CPU", "x86-64-v3"}},
       "HEDDLE_CPU=x86-64-v3: it is baseline, v3 or v4; using the best"},
      {{{"HEDDLE_THREADS", "0"}},
       "HEDDLE_THREADS=0: it is a number from 1 to 1024; using all processors"},
      {{{"HEDDLE_THREADS", "two"}},
       "HEDDLE_THREADS=two: it is a number from 1 to 1024; using all processors"},
      {{{"HEDDLE_TIME_LIMIT", "1 s"}},
       "HEDDLE_TIME_LIMIT=1 s: it is a number of seconds; using no limit"},
      {{{"HEDDLE_CACHE_SIZE", "all"}}, "HEDDLE_CACHE_SIZE=all: it is a number of megabytes"},
  };
  for (const auto& [environment, said] : kCases) {
    const Outcome outcome = run(environment, [] {
      Random random(1);
      random.launch(1);
      return random.check();
    });
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.said, HasSubstr(said));
  }
}

}  // namespace
