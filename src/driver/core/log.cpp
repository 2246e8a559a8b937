// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See log.h.
#include "driver/core/log.h"

#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_set>

#include "driver/core/context/call.h"
#include "driver/core/table.h"

namespace heddle::driver {
namespace {

struct Listener {
  CUlogsCallback callback;
  void* data;
};

struct Log {
  std::mutex mutex;
  std::deque<std::string> kept;
  std::size_t bytes = 0;
  CUlogIterator next = 0;  // counts all messages of the process
  std::map<CUlogsCallbackHandle, Listener> listeners;
  std::unordered_set<std::string> printed;  // texts of print_once()
};

Log& log() {
  static Log& instance = *new Log;
  return instance;
}

}  // namespace

void keep_message(CUlogLevel level, const std::string& message) {
  std::map<CUlogsCallbackHandle, Listener> listeners;
  {
    Log& all = log();
    const std::lock_guard lock(all.mutex);
    const auto text = message.substr(0, message.find_last_not_of('\n') + 1);
    all.kept.push_back((level == CU_LOG_LEVEL_ERROR ? "[error] " : "[warning] ") + text + "\n");
    all.bytes += all.kept.back().size();
    ++all.next;
    while (all.bytes > kLogBytes && all.kept.size() > 1) {
      all.bytes -= all.kept.front().size();
      all.kept.pop_front();
    }
    listeners = all.listeners;
  }
  for (const auto& [handle, listener] : listeners) {
    const InCallback scope;  // a callback must not call the driver, which may hold locks here
    std::string text = message;
    listener.callback(listener.data, level, text.data(), text.size());
  }
}

void print_message(CUlogLevel level, const std::string& message) {
  const std::string line = "heddle: " + message + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  keep_message(level, message);
}

void print_once(CUlogLevel level, const std::string& message) {
  constexpr std::size_t kMostRemembered = 1000;
  bool fresh = false;
  {
    Log& all = log();
    const std::lock_guard lock(all.mutex);
    fresh = all.printed.size() < kMostRemembered && all.printed.insert(message).second;
  }
  fresh ? print_message(level, message) : keep_message(level, message);
}

CUlogsCallbackHandle add_log_callback(CUlogsCallback callback, void* data) {
  const auto handle = reinterpret_cast<CUlogsCallbackHandle>(next_handle());
  const std::lock_guard lock(log().mutex);
  log().listeners[handle] = {callback, data};
  return handle;
}

bool remove_log_callback(CUlogsCallbackHandle handle) {
  const std::lock_guard lock(log().mutex);
  return log().listeners.erase(handle) > 0;
}

CUlogIterator next_message() {
  const std::lock_guard lock(log().mutex);
  return log().next;
}

std::vector<std::string> messages_from(CUlogIterator first, bool& lost) {
  Log& all = log();
  const std::lock_guard lock(all.mutex);
  const auto oldest = all.next - static_cast<CUlogIterator>(all.kept.size());
  lost = first < oldest;
  const auto skip = lost ? 0 : first - oldest;
  if (skip >= all.kept.size()) return {};
  return {all.kept.begin() + skip, all.kept.end()};
}

}  // namespace heddle::driver
