// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver has to say in words: on stderr, and to programs that ask for it. Driver API 6.36.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "driver/abi.h"

namespace heddle::driver {

/// Keeps a message, and hands it to the program's callbacks.
void keep_message(CUlogLevel level, const std::string& message);
/// The same, and prints it.
void print_message(CUlogLevel level, const std::string& message);

/// Says what is wrong, after `heddle: `.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_message(CU_LOG_LEVEL_ERROR, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// The same, but on stderr once for each text: programs try launches again and again, and what a
/// refusal says is the same each time.
void print_once(CUlogLevel level, const std::string& message);
template <class... Arguments>
void say_once(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_once(CU_LOG_LEVEL_ERROR, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Calls `callback` for each message from now on.
CUlogsCallbackHandle add_log_callback(CUlogsCallback callback, void* data);
/// False when there is no such callback.
bool remove_log_callback(CUlogsCallbackHandle handle);

/// The last of all messages are kept, as many bytes as this (6.36, cuLogsDumpToMemory).
inline constexpr std::size_t kLogBytes = 25600;
/// The number of the message that comes next.
CUlogIterator next_message();
/// The lines from number `first` on that are kept; `lost`: there were more.
std::vector<std::string> messages_from(CUlogIterator first, bool& lost);

}  // namespace heddle::driver
