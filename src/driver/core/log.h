// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the driver, on stderr and for programs. Driver API 6.36.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "driver/abi.h"

namespace heddle::driver {

/// Keeps a message, and hands it to the program's callbacks.
void keep_message(CUlogLevel level, const std::string& message);
/// Keeps a message and prints it on stderr.
void print_message(CUlogLevel level, const std::string& message);

/// Prints an error message after `heddle: `.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_message(CU_LOG_LEVEL_ERROR, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Keeps a message, and prints each text once: programs repeat a refused launch many times, with
/// the same message each time.
void print_once(CUlogLevel level, const std::string& message);
template <class... Arguments>
void say_once(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_once(CU_LOG_LEVEL_ERROR, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Calls `callback` for each message from now on.
CUlogsCallbackHandle add_log_callback(CUlogsCallback callback, void* data);
/// False when there is no such callback.
bool remove_log_callback(CUlogsCallbackHandle handle);

/// The newest messages are kept, up to this number of bytes (6.36, cuLogsDumpToMemory).
inline constexpr std::size_t kLogBytes = 25600;
/// The number of the message that comes next.
CUlogIterator next_message();
/// The kept messages from number `first` on. `lost`: older ones have been dropped.
std::vector<std::string> messages_from(CUlogIterator first, bool& lost);

}  // namespace heddle::driver
