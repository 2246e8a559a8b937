// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about refused calls: to the program's callback, a file or a stream, as
// cublasLoggerConfigure and the variables CUBLAS_LOGINFO_DBG and CUBLAS_LOGDEST_DBG say.
#pragma once

#include <string>

#include "mathlibs/abi.h"

namespace heddle::mathlibs {

/// Prefixes the exported function's name.
void log(const std::string& message);

/// A failure that the call could not return, because it was found when the task ran: always on
/// stderr, too.
void log_failure(const char* function, const std::string& message);

/// `file` may be null. False when the file cannot be written.
bool configure_log(bool on, bool to_stdout, bool to_stderr, const char* file);
void set_log_callback(cublasLogCallback callback);
cublasLogCallback log_callback();

// The log of cublasLt gets the same messages, if bit 0 (errors) of its mask is set.
// CUBLASLT_LOG_LEVEL and CUBLASLT_LOG_MASK set the mask at first; the messages go to stdout unless
// CUBLASLT_LOG_FILE names a file.
void set_lt_log_callback(cublasLtLoggerCallback_t callback);
void set_lt_log_file(FILE* file);
void set_lt_log_mask(int mask);
void disable_lt_log();

}  // namespace heddle::mathlibs
