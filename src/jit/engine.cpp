// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "jit/cta_switcher.h"
#include "jit/tiered_cta.h"
#include "jit/version.h"

namespace heddle::jit {
namespace {

using State = Version::State;

class Program final : public machine::Program {
 public:
  Program(std::shared_ptr<const machine::Program> below,
          std::shared_ptr<const machine::Loaded> loaded, ir::FunctionId entry,
          const Options& options)
      : below_(std::move(below)), loaded_(std::move(loaded)), entry_(entry), options_(options) {
    const ir::Module& module = loaded_->module();
    hot_ = options.hot;
    for (const u32 id : ir::reachable_functions(module, entry))
      hot_ += options.hot_by_instruction * module.functions[id].insts.size();
  }

  std::unique_ptr<machine::Cta> make_cta(machine::Launch& launch) const override {
    if (!runs(launch)) return below_->make_cta(launch);
    auto version = version_of(launch);
    version->begins(launch.grid_id);
    const bool compares = this->compares(launch);
    if (auto code = version->code(*loaded_); code && !(compares && version->is_open()))
      return make_cta_of(std::move(code), launch, *below_);
    if (version->state() == State::never) return below_->make_cta(launch);
    return std::make_unique<TieredCta>(std::move(version), *below_, launch, hot_, compares);
  }

  u32 rows(const machine::Launch& launch) const override {
    if (launch.grid.y == 1 || launch.cluster.volume() > 1) return 1;
    const auto code = code_of(launch);
    // Deep recursion has large frames, so as few threads as possible run at a time.
    return code && code->image().switches_ctas && !code->image().frame_of_call ? CtaSwitcher::kRows
                                                                               : 1;
  }

  bool in_order(const machine::Launch& launch) const override {
    if (launch.grid.volume() == 1) return false;
    const auto code = code_of(launch);
    return code && code->image().waits;
  }

  std::string_view engine(const machine::LaunchConfig& config) const override {
    if (!runs(config)) return below_->engine(config);
    const std::lock_guard lock(mutex_);
    for (const auto& version : versions_) {
      if (version->block() != config.block || version->state() != State::ready) continue;
      return version->changed_over() ? "interpreter, then jit" : "jit";
    }
    return below_->engine(config);
  }

 private:
  /// Whether code may run the launch: not in a pseudo-random order of single instructions, nor
  /// where it continues behind a fault. Code checks addresses in groups, and relies on all of them
  /// being good.
  static bool runs(const machine::Launch& launch) { return runs(*launch.config); }
  static bool runs(const machine::LaunchConfig& config) {
    return !config.schedule && !config.on_fault;
  }
  /// Whether the time of this launch's CTAs may be compared between the engines: only if they wait
  /// for no others.
  bool compares(const machine::Launch& launch) const {
    return options_.goes_back && !options_.at_once && launch.cluster.volume() == 1 &&
           launch.rows == 1 && !launch.config->cooperative;
  }
  /// Null: the launch begins in the fallback engine.
  std::shared_ptr<const Code> code_of(const machine::Launch& launch) const {
    return runs(launch) ? version_of(launch)->code(*loaded_) : nullptr;
  }
  std::shared_ptr<Version> version_of(const machine::Launch& launch) const {
    auto version = find_version(launch.config->block, launch.cluster.volume() > 1);
    if (options_.at_once && version->waits_for_code()) {
      version->compile_now(launch);
      const std::lock_guard lock(mutex_);
      if (versions_.size() > kMostCompiled) evict();
    }
    return version;
  }
  std::shared_ptr<Version> find_version(machine::Dim3 block, bool clustered) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(versions_, [&](const auto& version) {
      return version->block() == block && version->is_clustered() == clustered;
    });
    // The most recently used version is first.
    if (found != versions_.end()) {
      std::rotate(versions_.begin(), found, found + 1);
    } else {
      auto made = std::make_shared<Version>(*loaded_, entry_, block, clustered, options_.cache,
                                            options_.budget);
      made->look_up();
      versions_.insert(versions_.begin(), std::move(made));
    }
    if (versions_.size() > kMostCompiled) evict();
    return versions_.front();
  }

  /// Evicts the least recently used versions; running launches keep what they use.
  void evict() const {
    if (versions_.size() > kMostVersions) versions_.pop_back();
    const auto has_code = [](const auto& version) {
      return version->state() == State::compiled || version->state() == State::ready;
    };
    for (auto many = std::ranges::count_if(versions_, has_code);
         many > static_cast<std::ptrdiff_t>(kMostCompiled); --many) {
      const auto last =
          std::prev(std::find_if(versions_.rbegin(), versions_.rend(), has_code).base());
      (*last)->tell(fmt::format("evicted, it has {} versions that were used since", kMostCompiled));
      versions_.erase(last);
    }
  }

  const std::shared_ptr<const machine::Program> below_;
  const std::shared_ptr<const machine::Loaded> loaded_;
  const ir::FunctionId entry_;
  const Options options_;
  std::chrono::nanoseconds hot_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<Version>> versions_;
};

}  // namespace

Result<std::shared_ptr<const machine::Program>> Engine::prepare(
    std::shared_ptr<const machine::Loaded> loaded, ir::FunctionId entry) {
  auto below = below_->prepare(loaded, entry);
  if (!below.ok()) return below.error();
  return std::shared_ptr<const machine::Program>(
      std::make_shared<Program>(std::move(*below), std::move(loaded), entry, options_));
}

}  // namespace heddle::jit
