// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's messages. Driver API 6.36. None of these functions needs cuInit, so a program can
// read why cuInit failed.
#include "driver/core/log.h"

#include <cstdio>
#include <cstring>

#include "driver/api.h"

using namespace heddle::driver;

namespace {

constexpr const char* kLost = "[warning] older messages have been dropped\n";

/// The messages from an iterator on (null: all). When they exceed `room` bytes, a note and the
/// newest messages that fit.
std::string collect(const CUlogIterator* iterator, size_t room) {
  bool lost = false;
  const auto messages = messages_from(iterator ? *iterator : 0, lost);
  size_t bytes = lost ? std::strlen(kLost) : 0, first = messages.size();
  while (first > 0 && bytes + messages[first - 1].size() <= room) bytes += messages[--first].size();
  if (first > 0 && !lost) {
    lost = true;
    bytes += std::strlen(kLost);
    while (first < messages.size() && bytes > room) bytes -= messages[first++].size();
  }
  if (first == messages.size()) return "";
  std::string text = lost ? kLost : "";
  for (; first < messages.size(); ++first) text += messages[first];
  return text;
}

}  // namespace

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void* userData,
                                CUlogsCallbackHandle* callback_out) {
  if (!callbackFunc || !callback_out) return CUDA_ERROR_INVALID_VALUE;
  *callback_out = add_log_callback(callbackFunc, userData);
  return CUDA_SUCCESS;
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
  return remove_log_callback(callback) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLogsCurrent(CUlogIterator* iterator_out, unsigned int flags) {
  if (!iterator_out || flags) return CUDA_ERROR_INVALID_VALUE;
  *iterator_out = next_message();
  return CUDA_SUCCESS;
}

CUresult cuLogsDumpToFile(CUlogIterator* iterator, const char* pathToFile, unsigned int flags) {
  if (!pathToFile || flags) return CUDA_ERROR_INVALID_VALUE;
  std::FILE* file = std::fopen(pathToFile, "w");
  if (!file) return CUDA_ERROR_INVALID_VALUE;
  const std::string text = collect(iterator, SIZE_MAX);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) return CUDA_ERROR_OPERATING_SYSTEM;
  if (iterator) *iterator = next_message();
  return CUDA_SUCCESS;
}

CUresult cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size,
                            unsigned int flags) {
  if (!buffer || !size || !*size || flags) return CUDA_ERROR_INVALID_VALUE;
  bool lost = false;
  const bool has_messages = !messages_from(iterator ? *iterator : 0, lost).empty();
  const std::string text = collect(iterator, *size - 1);
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  *size = text.size();
  if (has_messages && text.empty()) return CUDA_ERROR_INVALID_VALUE;
  if (iterator) *iterator = next_message();
  return CUDA_SUCCESS;
}
