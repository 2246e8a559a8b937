// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/watchdog.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/quiet_thread.h"
#include "machine/fault_signals.h"
#include "machine/launch.h"

namespace heddle::jit {
namespace {

constexpr std::chrono::milliseconds kInterval{5};

struct Entry {
  Context* context;
  const machine::Launch* launch;
};

/// Never destroyed: kernels may run until the process ends.
struct Watch {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Entry> entries;
  bool runs = false;

  void look() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return !entries.empty(); });
      for (const Entry& entry : entries) {
        if (machine::is_over(*entry.launch))
          __atomic_store_n(&entry.context->stop, 1, __ATOMIC_RELAXED);
      }
      lock.unlock();
      machine::FaultSignals::come_first();
      std::this_thread::sleep_for(kInterval);
      lock.lock();
    }
  }
};

Watch& watch() {
  static Watch& one = *new Watch;
  return one;
}

}  // namespace

Watchdog::Watchdog(Context& context, const machine::Launch& launch) : context_(context) {
  Watch& all = watch();
  const std::lock_guard lock(all.mutex);
  all.entries.push_back({&context, &launch});
  if (!all.runs) {
    all.runs = true;
    start_quiet_thread([&all] { all.look(); });
  }
  if (all.entries.size() == 1) all.changed.notify_one();
}

Watchdog::~Watchdog() {
  Watch& all = watch();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.entries, [&](const Entry& entry) { return entry.context == &context_; });
}

}  // namespace heddle::jit
