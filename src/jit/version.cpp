// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/version.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/config.h"
#include "jit/background.h"
#include "jit/key.h"

namespace heddle::jit {
namespace {

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// Identifies compiler and processor. Empty: unknown, so nothing is cached.
const std::string& maker() {
  static const std::string& maker = *new std::string(
      compiler_build().empty() ? std::string() : compiler_build() + host_identity());
  return maker;
}

/// Warns once: kernels that stay in the interpreter take ten times as long.
void tell_of_missing_compiler(const std::string& why) {
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  std::fputs(fmt::format("heddle: kernels are interpreted, not compiled: {}\n", why).c_str(),
             stderr);
}

}  // namespace

bool traces() { return config().traces_jit; }

Version::Version(const machine::Loaded& loaded, ir::FunctionId entry, machine::Dim3 block,
                 bool clustered, Cache* cache, std::chrono::nanoseconds budget)
    : module_(loaded.shared_module()),
      entry_(entry),
      shared_(loaded.shared_layout(entry)),
      block_(block),
      clustered_(clustered),
      cache_(cache && !maker().empty() ? cache : nullptr),
      budget_(budget) {}

OwnedRequest Version::owned_request() const {
  return {module_, entry_, shared_, block_, clustered_, wanted_cpu()};
}

/// `with_budget`: for a refusal that depends on the budget.
std::string Version::key(bool with_budget) const {
  const OwnedRequest owned = owned_request();
  return key_of(owned.request(),
                with_budget ? fmt::format("{} in {} ns", maker(), budget_.count()) : maker());
}

void Version::tell(const std::string& what) const {
  if (!traces()) return;
  std::fputs(fmt::format("heddle: jit: {} block {}x{}x{}: {}\n",
                         module_->functions[entry_.value].name, block_.x, block_.y, block_.z, what)
                 .c_str(),
             stderr);
}

void Version::look_up() {
  if (!cache_) return;
  const auto begin = Clock::now();
  auto entry = cache_->find(key());
  if (!entry) entry = cache_->find(key(/*with_budget=*/true));
  if (!entry) return;
  if (const auto* refusal = std::get_if<Refusal>(&entry->content)) {
    refuse(refusal->message + " (from the cache)");
  } else if (auto& image = *std::get_if<Image>(&entry->content); is_sound(image, *module_)) {
    take(std::move(image),
         fmt::format("read from the cache in {:.3f} ms", milliseconds(Clock::now() - begin)));
  }
}

void Version::ran(bool in_code, std::chrono::nanoseconds time, u64 ctas) {
  if (!comparison_.ran(in_code, time, ctas)) return;
  const std::string why = fmt::format("code takes {:.1f} us for a CTA, the interpreter {:.1f}",
                                      comparison_.code_time(), comparison_.interpreter_time());
  tell("goes back to the interpreter: " + why);
  state_.store(State::never, std::memory_order_release);
  if (cache_) cache_->put({key(), Refusal{why}});
}

void Version::interpreted(std::chrono::nanoseconds time, std::chrono::nanoseconds hot) {
  const s64 sum = interpreted_.fetch_add(time.count(), std::memory_order_relaxed) + time.count();
  State cold = State::cold;
  if (sum < hot.count() || !state_.compare_exchange_strong(cold, State::queued)) return;
  tell(fmt::format("hot after {:.1f} ms in the interpreter", static_cast<double>(sum) * 1e-6));
  // A version without owners is not compiled.
  const auto weak = weak_from_this();
  const auto compile = [weak] {
    if (const auto version = weak.lock()) version->compilation(true)->wait();
  };
  in_background(compile, [weak, hot = static_cast<double>(std::max<s64>(hot.count(), 1))] {
    const auto version = weak.lock();
    return version ? static_cast<double>(version->interpreted_.load()) / hot : 0;
  });
}

void Version::compile_now(const machine::Launch& launch) {
  State cold = State::cold;
  state_.compare_exchange_strong(cold, State::queued);
  const auto one = compilation(false);
  const bool over = one->wait([&] {
    return launch.stop || (launch.config->cancel && *launch.config->cancel) ||
           (launch.deadline && Clock::now() > *launch.deadline);
  });
  // This thread enforces the budget.
  if (!over) in_background([one] { one->wait(); }, [] { return 0; });
}

std::shared_ptr<Compilation> Version::compilation(bool in_background) {
  const std::lock_guard lock(mutex_);
  if (!compilation_) {
    compilation_ = Compilation::start(
        owned_request(), budget_,
        [self = shared_from_this(), in_background, begin = Clock::now()](auto outcome) {
          self->compiled(std::move(outcome), in_background, begin);
        });
  }
  return compilation_;
}

void Version::compiled(Compilation::Outcome outcome, bool in_background, Clock::time_point begin) {
  if (!outcome.ok()) {
    const Failure& failure = outcome.error();
    refuse(failure.message);
    // A compilation that uses its whole budget for nothing is reported to every user.
    if (failure.over_budget && budget_.count() > 0 && !traces())
      std::fputs(fmt::format("heddle: {} stays in the interpreter: {} (HEDDLE_JIT_BUDGET)\n",
                             module_->functions[entry_.value].name, failure.message)
                     .c_str(),
                 stderr);
    if (!failure.by_kernel && !failure.over_budget) tell_of_missing_compiler(failure.message);
    if (cache_ && failure.by_kernel)
      cache_->put({key(failure.over_budget), Refusal{failure.message}});
    return;
  }
  take(outcome->image,
       fmt::format("compiled {}in {:.1f} ms", in_background ? "in the background " : "",
                   milliseconds(Clock::now() - begin)));
  if (cache_) cache_->put({key(), std::move(outcome->image)});
}

void Version::take(Image image, std::string how) {
  const std::lock_guard lock(mutex_);
  image_ = std::move(image);
  how_ = std::move(how);
  state_.store(State::compiled, std::memory_order_release);
}

void Version::refuse(const std::string& why) {
  tell("stays in the interpreter: " + why);
  state_.store(State::never, std::memory_order_release);
}

void Version::load(const machine::Loaded& loaded) {
  const std::lock_guard lock(mutex_);
  if (state() != State::compiled) return;  // another thread has loaded it
  auto code = Code::load(std::move(image_), loaded);
  if (!code.ok()) return refuse(code.error().message);
  code_ = std::move(*code);
  // The time of CTAs that wait depends on others.
  if (code_->image().waits || code_->image().switches_ctas) comparison_.settle();
  tell(fmt::format("{}, {} bytes at {}, {} bytes a warp", how_, code_->bytes(),
                   static_cast<const void*>(code_->base()), code_->image().frame_bytes));
  state_.store(State::ready, std::memory_order_release);
}

}  // namespace heddle::jit
