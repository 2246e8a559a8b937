// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare/report.h"

#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace heddle::bench {
namespace {

constexpr int kWidth = 12;

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string text; std::getline(info, text);) {
    if (text.starts_with("model name")) return text.substr(text.find(": ") + 2);
  }
  return "unknown";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[sizeof "2026-11-21"] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  return fmt::format("{:.2f} ms", seconds * 1e3);
}

}  // namespace

std::string heading(const std::vector<std::string>& engines, int threads) {
  std::string text = fmt::format("{:20}", fmt::format("{} threads", threads));
  for (const std::string& engine : engines) text += fmt::format("{:>{}}", engine, kWidth);
  for (const std::string& engine : engines) {
    if (engine != "native") text += fmt::format("{:>{}}", engine + " x", kWidth);
  }
  return text + "   speed-up of threads";
}

std::string line(const Row& row) {
  std::string text = fmt::format("{:20}", row.job), speedups;
  for (const Measured& m : row.engines) {
    text += fmt::format("{:>{}}", m.instead.empty() ? duration(m.seconds) : m.instead.substr(0, 11),
                        kWidth);
  }
  for (const Measured& m : row.engines) {
    if (m.engine != "native") {
      text += fmt::format("{:>{}}", m.ratio != 0 ? fmt::format("{:.2f}", m.ratio) : "-", kWidth);
    }
    if (m.speedup != 0) speedups += fmt::format("{} {:.2f} ", m.engine, m.speedup);
  }
  return text + "   " + speedups;
}

bool write_json(const std::string& path, const Conditions& conditions,
                const std::vector<Row>& rows) {
  nlohmann::ordered_json json;
  json["date"] = today();
  json["cpu"] = cpu_name();
  json["compiler"] = "clang " __clang_version__;
  json["threads"] = conditions.threads;
  json["rounds"] = conditions.rounds;
  json["load"] = conditions.load;
  json["little"] = conditions.little;
  for (const Row& row : rows) {
    auto& job = json["jobs"].emplace_back();
    job["name"] = row.job;
    job["work"] = row.work;
    for (const Measured& m : row.engines) {
      auto& engine = job["engines"][m.engine];
      if (m.instead.empty()) {
        engine = {{"seconds", m.seconds}, {"ratio", m.ratio}, {"first_seconds", m.first}};
        if (m.speedup != 0) engine["speedup"] = m.speedup;
      } else {
        engine["instead"] = m.instead;
      }
    }
  }
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  return file.good();
}

}  // namespace heddle::bench
