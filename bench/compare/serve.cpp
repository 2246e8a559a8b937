// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare/serve.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <optional>

#include "compare/engine.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string answer(const std::string& failure, double seconds) {
  return failure.empty() ? fmt::format("ok {}", seconds) : "no " + failure;
}

const Entry* find(const std::string& name) {
  for (const Entry& entry : jobs()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

class Server {
 public:
  Server(const std::string& engine, int threads, bool little)
      : little_(little), rough_(engine == "pocl"), engine_(make_engine(engine, threads)) {}

  std::string prepare(const std::string& name) {
    if (!engine_) return "not installed";
    const Entry* entry = find(name);
    if (!entry) return "no such job";
    job_.emplace(entry->make(little_));
    return engine_->prepare(*job_);
  }

  std::string check(const std::string& name) {
    std::string failure = prepare(name);
    if (!failure.empty()) return "no " + failure;
    const double begin = now();
    failure = engine_->run(1);
    const double seconds = now() - begin;
    std::vector<char> found(job_->arrays[job_->result].bytes);
    if (failure.empty()) failure = engine_->read(job_->result, found.data());
    // For native code, compares with the result of one thread.
    const Job expected = find(name)->make(little_);
    Team one(1);
    expected.native(one);
    if (failure.empty()) {
      failure = difference(expected, expected.arrays[expected.result].begin, found.data(), rough_);
      if (!failure.empty()) failure = "wrong: " + failure;
    }
    return answer(failure, seconds);
  }

  // One untimed run first, so that threads are awake and the caches hold this process's data; not
  // needed for long jobs.
  std::string run(int times) {
    std::string failure = times > 1 ? engine_->run(1) : "";
    const double begin = now();
    if (failure.empty()) failure = engine_->run(times);
    return answer(failure, (now() - begin) / times);
  }

 private:
  const bool little_, rough_;
  std::optional<Job> job_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace

int serve(const std::string& name, int threads, bool little) {
  Server server(name, threads, little);
  std::string command, of;
  while (std::cin >> command >> of) {
    std::cout << (command == "check"     ? server.check(of)
                  : command == "prepare" ? answer(server.prepare(of), 0)
                                         : server.run(std::stoi(of)))
              << std::endl;
  }
  return 0;
}

}  // namespace heddle::bench
