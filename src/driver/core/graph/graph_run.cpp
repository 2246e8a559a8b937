// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See graph_run.h.
#include "driver/core/graph/graph_run.h"

#include <condition_variable>
#include <deque>
#include <mutex>

#include "driver/core/graph/conditional.h"
#include "driver/core/graph/graph_exec.h"
#include "driver/core/process.h"
#include "driver/core/stream/background.h"

namespace heddle::driver {
namespace {

// Few threads suffice for branches that run at the same time, because each kernel uses all
// processors.
constexpr unsigned kMostHelpers = 7;

class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(const Plan& plan, const LaunchEvents& events, const Context& context)
      : plan_(plan), events_(events), context_(context), left_(plan.steps.size()) {
    for (const Step& step : plan.steps) missing_.push_back(step.before.size());
    for (const unsigned i : plan.order) {
      if (!missing_[i]) ready_.push_back(i);
    }
  }

  /// Executes steps until all are done.
  void work() {
    std::unique_lock lock(mutex_);
    call_helpers();
    while (left_) {
      if (ready_.empty()) {
        ++idle_;
        changed_.wait(lock, [this] { return !ready_.empty() || !left_; });
        --idle_;
        continue;
      }
      const unsigned i = ready_.front();
      ready_.pop_front();
      lock.unlock();
      perform_step(plan_.steps[i]);
      lock.lock();
      --left_;
      for (const unsigned next : plan_.steps[i].after) {
        if (--missing_[next] == 0) ready_.push_back(next);
      }
      call_helpers();
      changed_.notify_all();
    }
  }

 private:
  // Asks for as many threads as there are ready steps, beyond this thread and the idle ones.
  void call_helpers() {
    while (ready_.size() > 1 + idle_ + called_ && helpers_ < kMostHelpers) {
      ++helpers_;
      ++called_;
      in_background([self = shared_from_this()] {
        {
          const std::lock_guard lock(self->mutex_);
          --self->called_;
          // The launch may have ended, and the plan with it, before the helper starts.
          if (!self->left_) return;
        }
        self->work();
      });
    }
  }

  bool may_run(const Step& step) const {
    const Context* own = context_of(step.task);
    const Context& context = own ? *own : context_;
    return !context.error() && !context.is_destroyed() && !exiting();
  }

  void perform_step(const Step& step) const {
    if (const auto record = events_.record.find(&step); record != events_.record.end()) {
      record->second->finish();
      return;
    }
    if (const auto wait = events_.wait.find(&step); wait != events_.wait.end()) {
      if (wait->second) wait->second->wait();
      return;
    }
    if (std::holds_alternative<ChildTask>(step.task)) {
      heddle::driver::run(*step.within.front(), events_, context_);
      return;
    }
    if (!step.is_enabled || !may_run(step)) return;
    if (const auto* condition = std::get_if<ConditionalTask>(&step.task)) {
      perform_condition(*condition, step);
    } else {
      perform(step.task);
    }
  }

  void perform_condition(const ConditionalTask& task, const Step& step) const {
    const auto body = [&](std::size_t i) {
      if (i < step.within.size()) heddle::driver::run(*step.within[i], events_, context_);
    };
    const unsigned value = task.condition->value();
    switch (task.type) {
      case CU_GRAPH_COND_TYPE_IF:
        return body(value ? 0 : 1);
      case CU_GRAPH_COND_TYPE_SWITCH:
        return body(value);
      case CU_GRAPH_COND_TYPE_WHILE:
        while (task.condition->value() && may_run(step)) body(0);
    }
  }

  const Plan& plan_;
  const LaunchEvents& events_;
  const Context& context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<unsigned> ready_;
  std::vector<std::size_t> missing_;  // by step: number of unfinished steps that it waits for
  std::size_t left_;
  unsigned helpers_ = 0, called_ = 0, idle_ = 0;  // called_: helpers that have not started
};

void take_events(const Plan& plan, LaunchEvents& events) {
  for (const unsigned i : plan.order) {
    const Step& step = plan.steps[i];
    if (const auto* record = std::get_if<RecordEventTask>(&step.task)) {
      const auto done = std::make_shared<Completion>();
      record->event->record(done);
      events.record[&step] = done;
    } else if (const auto* wait = std::get_if<WaitEventTask>(&step.task)) {
      events.wait[&step] = wait->event->recorded().done;
    }
    for (const PlanPtr& within : step.within) take_events(*within, events);
  }
}

}  // namespace

LaunchEvents take_events(const Plan& plan) {
  LaunchEvents events;
  take_events(plan, events);
  return events;
}

void run(const Plan& plan, const LaunchEvents& events, const Context& context) {
  if (plan.steps.empty()) return;
  std::make_shared<Run>(plan, events, context)->work();
}

}  // namespace heddle::driver
