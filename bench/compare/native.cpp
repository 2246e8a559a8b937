// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare/engine.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

class Native final : public Engine {
 public:
  explicit Native(int threads) : team_(threads) {}
  std::string prepare(const Job& job) override {
    job_ = &job;
    return "";
  }
  std::string run(int times) override {
    for (int i = 0; i < times; ++i) job_->native(team_);
    return "";
  }
  std::string read(int array, void* to) override {
    std::memcpy(to, job_->arrays[array].begin, job_->arrays[array].bytes);
    return "";
  }

 private:
  Team team_;
  const Job* job_ = nullptr;
};

}  // namespace

std::unique_ptr<Engine> native_engine(int threads) { return std::make_unique<Native>(threads); }

std::unique_ptr<Engine> make_engine(std::string_view name, int threads) {
  if (name == "native") return native_engine(threads);
  if (name == "jit" || name == "interp") return cuda_engine();
  if (name == "pocl") return pocl_engine();
  return nullptr;
}

}  // namespace heddle::bench
