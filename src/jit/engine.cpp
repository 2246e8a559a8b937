// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/engine.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "jit/compiler.h"
#include "jit/cta.h"

namespace heddle::jit {
namespace {

bool traces() {
  static const bool on = [] {
    const char* what = std::getenv("HEDDLE_TRACE");
    return what && std::strstr(what, "jit");
  }();
  return on;
}

class Program final : public machine::Program {
 public:
  Program(std::shared_ptr<const machine::Program> below,
          std::shared_ptr<const machine::Loaded> loaded, ir::FunctionId entry)
      : below_(std::move(below)), loaded_(std::move(loaded)), entry_(entry) {}

  std::unique_ptr<machine::Cta> make_cta(machine::Launch& launch) const override {
    // Clusters run interleaved; so does a pseudo-random order.
    if (launch.cluster.volume() == 1 && !launch.random && !launch.config->cooperative) {
      if (auto code = code_for(launch.config->block))
        return std::make_unique<Cta>(std::move(code), launch);
    }
    return below_->make_cta(launch);
  }

  std::string_view engine(const machine::LaunchConfig& config) const override {
    const std::lock_guard lock(mutex_);
    for (const Version& version : versions_) {
      if (version.block == config.block && version.code) return "jit";
    }
    return below_->engine(config);
  }

 private:
  struct Version {
    machine::Dim3 block;
    std::shared_ptr<const Code> code;  ///< null: it cannot be compiled
  };

  std::shared_ptr<const Code> code_for(machine::Dim3 block) const {
    const std::lock_guard lock(mutex_);
    for (const Version& version : versions_) {
      if (version.block == block) return version.code;
    }
    versions_.push_back({block, make(block)});
    return versions_.back().code;
  }

  std::shared_ptr<const Code> make(machine::Dim3 block) const {
    const machine::SharedLayout shared = loaded_->shared_layout(entry_);
    const ir::Module& module = loaded_->module();
    const auto tell = [&](const std::string& what) {
      if (!traces()) return;
      std::fputs(fmt::format("heddle: jit: {} block {}x{}x{}: {}\n",
                             module.functions[entry_.value].name, block.x, block.y, block.z, what)
                     .c_str(),
                 stderr);
    };
    Request request;
    request.module = &module;
    request.entry = entry_;
    request.shared = &shared;
    request.block = block;
    auto compiled = compile(request);
    if (!compiled.ok()) {
      tell("stays in the interpreter: " + compiled.error().message);
      return nullptr;
    }
    const std::size_t bytes = compiled->image.code.size();
    auto code = Code::load(std::move(compiled->image), *loaded_);
    if (!code.ok()) {
      tell("stays in the interpreter: " + code.error().message);
      return nullptr;
    }
    tell(fmt::format("compiled, {} bytes at {}, {} bytes a warp", bytes,
                     reinterpret_cast<const void*>((*code)->base()), (*code)->image().frame_bytes));
    return *code;
  }

  const std::shared_ptr<const machine::Program> below_;
  const std::shared_ptr<const machine::Loaded> loaded_;
  const ir::FunctionId entry_;
  mutable std::mutex mutex_;
  mutable std::vector<Version> versions_;
};

}  // namespace

Result<std::shared_ptr<const machine::Program>> Engine::prepare(
    std::shared_ptr<const machine::Loaded> loaded, ir::FunctionId entry) {
  auto below = below_->prepare(loaded, entry);
  if (!below.ok()) return below.error();
  return std::shared_ptr<const machine::Program>(
      std::make_shared<Program>(std::move(*below), std::move(loaded), entry));
}

}  // namespace heddle::jit
