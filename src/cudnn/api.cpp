// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcudnn.so.9: what frameworks ask cuDNN when they start. Heddle has no implementation of cuDNN's
// operations: every other function returns CUDNN_STATUS_NOT_SUPPORTED and prints its name once.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <new>

namespace {

// cudnn_graph.h
constexpr int kSuccess = 0, kBadParam = 2000, kNullPointer = 2002, kNotSupported = 3000;
constexpr int kMajor = 9, kMinor = 28, kPatch = 1;
constexpr std::size_t kVersion = kMajor * 10'000 + kMinor * 100 + kPatch;
constexpr std::size_t kCudartVersion = 13000;
/// The compute capability, times 10, of the newest devices.
constexpr std::size_t kMaxDeviceVersion = 1210;

struct Handle {
  void* stream = nullptr;
};

/// Prints the name the first time.
class NotSupported {
 public:
  constexpr explicit NotSupported(const char* function) : function_(function) {}
  int report() {
    if (!said_.exchange(true))
      std::fprintf(stderr, "heddle: %s is not supported: Heddle has no cuDNN\n", function_);
    return kNotSupported;
  }

 private:
  const char* function_;
  std::atomic<bool> said_ = false;
};

}  // namespace

#define HEDDLE_API(result) extern "C" __attribute__((visibility("default"))) result

HEDDLE_API(std::size_t) cudnnGetVersion() { return kVersion; }
HEDDLE_API(std::size_t) cudnnGetCudartVersion() { return kCudartVersion; }
HEDDLE_API(std::size_t) cudnnGetMaxDeviceVersion() { return kMaxDeviceVersion; }

HEDDLE_API(int) cudnnGetProperty(int type, int* value) {
  constexpr int kVersions[] = {kMajor, kMinor, kPatch};
  if (!value) return kNullPointer;
  if (type < 0 || type > 2) return kBadParam;
  *value = kVersions[type];
  return kSuccess;
}

HEDDLE_API(const char*) cudnnGetErrorString(int status) {
  switch (status) {
    case kSuccess:
      return "CUDNN_STATUS_SUCCESS";
    case kBadParam:
      return "CUDNN_STATUS_BAD_PARAM";
    case kNullPointer:
      return "CUDNN_STATUS_BAD_PARAM_NULL_POINTER";
    case kNotSupported:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    default:
      return "CUDNN_UNKNOWN_STATUS";
  }
}

HEDDLE_API(void) cudnnGetLastErrorString(char* message, std::size_t size) {
  if (message && size) std::snprintf(message, size, "Heddle has no cuDNN");
}

HEDDLE_API(int) cudnnCreate(Handle** handle) {
  if (!handle) return kNullPointer;
  *handle = new (std::nothrow) Handle;
  return *handle ? kSuccess : kBadParam;
}
HEDDLE_API(int) cudnnDestroy(Handle* handle) {
  delete handle;
  return kSuccess;
}
HEDDLE_API(int) cudnnSetStream(Handle* handle, void* stream) {
  if (!handle) return kNullPointer;
  handle->stream = stream;
  return kSuccess;
}
HEDDLE_API(int) cudnnGetStream(Handle* handle, void** stream) {
  if (!handle || !stream) return kNullPointer;
  *stream = handle->stream;
  return kSuccess;
}
// The parts of cuDNN have one version.
HEDDLE_API(int) cudnnGraphVersionCheck() { return kSuccess; }
HEDDLE_API(int) cudnnOpsVersionCheck() { return kSuccess; }
HEDDLE_API(int) cudnnCnnVersionCheck() { return kSuccess; }
HEDDLE_API(int) cudnnAdvVersionCheck() { return kSuccess; }

// The arguments are of no interest, so the prototypes have none.
#define HEDDLE_UNSUPPORTED(name)      \
  HEDDLE_API(int) name() {            \
    static NotSupported state(#name); \
    return state.report();            \
  }
#include "cudnn/unsupported.inc"
