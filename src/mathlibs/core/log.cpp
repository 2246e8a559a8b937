// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See log.h.
#include "mathlibs/core/log.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "mathlibs/core/entry.h"

namespace heddle::mathlibs {
namespace {

struct Log {
  Log() {
    const char* level = std::getenv("CUBLASLT_LOG_LEVEL");
    const char* mask = std::getenv("CUBLASLT_LOG_MASK");
    if (const char* name = std::getenv("CUBLASLT_LOG_FILE")) lt_file = std::fopen(name, "a");
    lt_mask = (level && std::atoi(level) > 0) || (mask && std::atoi(mask) & 1);
    const char* on = std::getenv("CUBLAS_LOGINFO_DBG");
    const char* destination = std::getenv("CUBLAS_LOGDEST_DBG");
    if (!on || std::strcmp(on, "0") == 0 || !destination) return;
    if (std::strcmp(destination, "stdout") == 0) {
      to_stdout = true;
    } else if (std::strcmp(destination, "stderr") == 0) {
      to_stderr = true;
    } else {
      file = std::fopen(destination, "a");
    }
  }
  std::mutex mutex;
  bool to_stdout = false, to_stderr = false;
  std::FILE* file = nullptr;
  cublasLogCallback callback = nullptr;
  std::FILE* lt_file = nullptr;
  cublasLtLoggerCallback_t lt_callback = nullptr;
  int lt_mask = 0;
  bool lt_disabled = false;
};

/// Never destroyed: a program may use the library while the process ends.
Log& the_log() {
  static auto* const log = new Log;
  return *log;
}

void print(std::FILE* to, const std::string& line) {
  if (!to) return;
  std::fputs(line.c_str(), to);
  std::fflush(to);
}

void write(const std::string& line, bool always) {
  Log& log = the_log();
  cublasLogCallback callback = nullptr;
  cublasLtLoggerCallback_t lt_callback = nullptr;
  {
    const std::lock_guard lock(log.mutex);
    if ((log.lt_mask & 1) && !log.lt_disabled) {
      print(log.lt_file ? log.lt_file : stdout, line);
      lt_callback = log.lt_callback;
    }
    print(log.file, line);
    if (log.to_stdout) print(stdout, line);
    if (log.to_stderr || always) print(stderr, line);
    callback = log.callback;
  }
  if (callback) callback(line.c_str());
  if (lt_callback) lt_callback(1, Entry::function(), line.c_str());
}

}  // namespace

void log(const std::string& message) {
  write("heddle: " + std::string(Entry::function()) + ": " + message + "\n", false);
}

void log_failure(const char* function, const std::string& message) {
  write("heddle: " + std::string(function) + ": " + message + "\n", true);
}

bool configure_log(bool on, bool to_stdout, bool to_stderr, const char* file) {
  std::FILE* opened = nullptr;
  if (on && file && !(opened = std::fopen(file, "a"))) return false;
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (log.file) std::fclose(log.file);
  log.file = opened;
  log.to_stdout = on && to_stdout;
  log.to_stderr = on && to_stderr;
  return true;
}

void set_log_callback(cublasLogCallback callback) {
  const std::lock_guard lock(the_log().mutex);
  the_log().callback = callback;
}

void set_lt_log_callback(cublasLtLoggerCallback_t callback) {
  const std::lock_guard lock(the_log().mutex);
  the_log().lt_callback = callback;
}
void set_lt_log_file(FILE* file) {
  const std::lock_guard lock(the_log().mutex);
  the_log().lt_file = file;
}
void set_lt_log_mask(int mask) {
  const std::lock_guard lock(the_log().mutex);
  the_log().lt_mask = mask;
}
void disable_lt_log() {
  const std::lock_guard lock(the_log().mutex);
  the_log().lt_disabled = true;
}

cublasLogCallback log_callback() {
  const std::lock_guard lock(the_log().mutex);
  return the_log().callback;
}

}  // namespace heddle::mathlibs
