// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/config.h"

#include <gmock/gmock.h>

#include <map>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The environment that the tests pass to read_config(): texts by the names of variables.
std::map<std::string, std::string>& given() {
  static auto& all = *new std::map<std::string, std::string>;
  return all;
}

Config read(std::map<std::string, std::string> environment, std::vector<std::string>& complaints) {
  given() = std::move(environment);
  return read_config(
      [](const Variable& variable) -> const char* {
        const auto found = given().find(variable.name);
        return found == given().end() ? nullptr : found->second.c_str();
      },
      complaints);
}

TEST(Config, UnderstandsWhatMayBeWritten) {
  constexpr struct {
    const char *name, *text;
    bool (*holds)(const Config&);
  } kCases[] = {
      {"HEDDLE_DEVICE", "h200", [](const Config& c) { return c.device == "h200"; }},
      {"HEDDLE_DEVICES", "64", [](const Config& c) { return c.devices == 64; }},
      {"HEDDLE_ENGINE", "auto",
       [](const Config& c) { return c.engine == EngineChoice::automatic; }},
      {"HEDDLE_ENGINE", "interp",
       [](const Config& c) { return c.engine == EngineChoice::interpreter; }},
      {"HEDDLE_ENGINE", "jit", [](const Config& c) { return c.engine == EngineChoice::compiler; }},
      {"HEDDLE_THREADS", "1024", [](const Config& c) { return c.threads == 1024u; }},
      {"HEDDLE_CPU", "v3", [](const Config& c) { return c.cpu == CpuLevel::v3; }},
      {"HEDDLE_CONTRACT", "0", [](const Config& c) { return !c.contract; }},
      {"HEDDLE_CONTRACT", "1", [](const Config& c) { return c.contract; }},
      {"HEDDLE_MMA", "exact", [](const Config& c) { return !c.ieee_products; }},
      {"HEDDLE_MMA", "ieee", [](const Config& c) { return c.ieee_products; }},
      {"HEDDLE_TIME_LIMIT", "0.05", [](const Config& c) { return c.time_limit == 0.05; }},
      {"HEDDLE_ON_FAULT", "report", [](const Config& c) { return c.reports_faults; }},
      {"HEDDLE_MEMBERMASK", "strict", [](const Config& c) { return *c.strict_membermasks; }},
      {"HEDDLE_MEMBERMASK", "gpu", [](const Config& c) { return !*c.strict_membermasks; }},
      {"HEDDLE_MEMBERMASK", "", [](const Config& c) { return !c.strict_membermasks; }},
      {"HEDDLE_SCHEDULE", "seed:7", [](const Config& c) { return c.schedule == 7u; }},
      {"HEDDLE_SCHEDULE", "fast", [](const Config& c) { return !c.schedule; }},
      {"HEDDLE_TRACE", "api,jit",
       [](const Config& c) { return c.traces_api && c.traces_jit && !c.traces_launches; }},
      {"HEDDLE_CACHE", "0", [](const Config& c) { return !c.cache; }},
      {"HEDDLE_CACHE_DIR", "/kept", [](const Config& c) { return c.cache_folder == "/kept"; }},
      {"HEDDLE_CACHE_DIR", "kept", [](const Config& c) { return c.cache_folder.front() == '/'; }},
      {"HEDDLE_CACHE_SIZE", "3", [](const Config& c) { return c.cache_bytes == 3u << 20; }},
      {"HEDDLE_JIT_AFTER", "0.5",
       [](const Config& c) { return c.jit_after == std::chrono::microseconds(500); }},
      {"HEDDLE_JIT_BUDGET", "2",
       [](const Config& c) { return c.jit_budget == std::chrono::seconds(2); }},
      {"HEDDLE_VERIFY_JIT", "1", [](const Config& c) { return c.verify_jit; }},
      {"HEDDLE_VERIFY_JIT", "0", [](const Config& c) { return !c.verify_jit; }},
  };
  for (const auto& [name, text, holds] : kCases) {
    std::vector<std::string> complaints;
    EXPECT_TRUE(holds(read({{name, text}}, complaints))) << name << '=' << text;
    EXPECT_THAT(complaints, IsEmpty()) << name << '=' << text;
  }
}

TEST(Config, SaysWhatIsWrongAndGoesOn) {
  constexpr struct {
    const char *name, *text, *complaint;
  } kCases[] = {
      {"HEDDLE_DEVICES", "0", "HEDDLE_DEVICES=0: it is a number from 1 to 64; using no device"},
      {"HEDDLE_ENGINE", "gpu", "HEDDLE_ENGINE=gpu: it is auto, interp or jit; using auto"},
      {"HEDDLE_THREADS", "2 ",
       "HEDDLE_THREADS=2 : it is a number from 1 to 1024; using all processors of the process"},
      {"HEDDLE_CPU", "x86-64-v3",
       "HEDDLE_CPU=x86-64-v3: it is baseline, v3 or v4; using the best that the processor has"},
      {"HEDDLE_CONTRACT", "no", "HEDDLE_CONTRACT=no: it is 0 or 1; using 1"},
      {"HEDDLE_TIME_LIMIT", "1 s",
       "HEDDLE_TIME_LIMIT=1 s: it is a number of seconds; using no limit"},
      {"HEDDLE_TIME_LIMIT", "nan",
       "HEDDLE_TIME_LIMIT=nan: it is a number of seconds; using no limit"},
      {"HEDDLE_TIME_LIMIT", "-1",
       "HEDDLE_TIME_LIMIT=-1: it is a number of seconds; using no limit"},
      {"HEDDLE_ON_FAULT", "ignore", "HEDDLE_ON_FAULT=ignore: it is trap or report; using trap"},
      {"HEDDLE_SCHEDULE",
       "seed:", "HEDDLE_SCHEDULE=seed:: it is fast, or seed:N with a number N; using fast"},
      {"HEDDLE_TRACE", "api,lunch",
       "HEDDLE_TRACE=api,lunch: it is a list of api, launch and jit with commas between; using "
       "the known words of the list"},
      {"HEDDLE_CACHE_SIZE", "-1", "HEDDLE_CACHE_SIZE=-1: it is a number of megabytes; using 256"},
      {"HEDDLE_JIT_BUDGET", "2e9", "HEDDLE_JIT_BUDGET=2e9: it is a number of seconds; using 20"},
  };
  for (const auto& [name, text, complaint] : kCases) {
    std::vector<std::string> complaints;
    read({{name, text}}, complaints);
    EXPECT_THAT(complaints, ElementsAre("heddle: " + std::string(complaint) + "\n"));
  }
  std::vector<std::string> complaints;
  const Config config = read({{"HEDDLE_TRACE", "lunch,api"}, {"HEDDLE_THREADS", "3"}}, complaints);
  EXPECT_TRUE(config.traces_api);
  EXPECT_EQ(config.threads, 3u);
}

// Code from the cache is executed. So a user who calls a program that runs with another user's
// rights must not choose the cache.
TEST(Config, VariablesOfTheCacheAreNotHeededWithOtherRights) {
  for (const Variable& variable : variables()) {
    const bool of_cache = std::string_view(variable.name).starts_with("HEDDLE_CACHE");
    EXPECT_EQ(variable.secure, of_cache) << variable.name;
  }
}

TEST(Config, ScheduleIsFastOrHasASeed) {
  const std::pair<std::string_view, std::optional<u64>> good[] = {
      {"fast", std::nullopt}, {"seed:0", 0}, {"seed:18446744073709551615", ~u64{0}}};
  for (const auto& [text, seed] : good) {
    const auto parsed = parse_schedule(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(*parsed, seed) << text;
  }
  for (const std::string_view bad :
       {"", "seed", "seed:", "seed:-1", "seed:1x", "seed:18446744073709551616", "slow", "FAST"})
    EXPECT_FALSE(parse_schedule(bad).ok()) << bad;
}

}  // namespace
}  // namespace heddle
