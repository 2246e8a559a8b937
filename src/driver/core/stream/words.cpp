// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits for words of memory, and writes of words, as work of a stream. Driver API 6.21.
#include <atomic>
#include <thread>

#include "driver/core/memory/allocation.h"
#include "driver/core/process.h"
#include "driver/core/stream/task.h"
#include "driver/core/stream/words.h"

namespace heddle::driver {
namespace {

template <class T>
bool holds(T now, T value, unsigned condition) {
  switch (condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<std::make_signed_t<T>>(now - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return now == value;
    case CU_STREAM_WAIT_VALUE_AND:
      return (now & value) != 0;
    default:
      return ~(now | value) != 0;  // CU_STREAM_WAIT_VALUE_NOR
  }
}

template <class T>
std::atomic_ref<T> word(CUdeviceptr address) {
  return std::atomic_ref<T>(*reinterpret_cast<T*>(address));
}

// Flushing remote writes (CU_STREAM_WAIT_VALUE_FLUSH) has no effect, because there is one memory.
constexpr unsigned kFlush = CU_STREAM_WAIT_VALUE_FLUSH;

template <class T>
void wait_for(const Context& context, CUdeviceptr address, T value, unsigned flags) {
  while (!holds(word<T>(address).load(), value, flags & ~kFlush)) {
    if (exiting() || context.error()) return;
    std::this_thread::yield();
  }
}

bool is_word(CUdeviceptr address, u64 bytes) {
  return address % bytes == 0 && is_writable_range(address, bytes);
}

CUresult check(const CUstreamBatchMemOpParams& operation) {
  const auto good = [](bool ok) { return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; };
  const auto& wait = operation.waitValue;
  const auto& write = operation.writeValue;
  switch (operation.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return good(
          (wait.flags & ~kFlush) <= CU_STREAM_WAIT_VALUE_NOR &&
          is_word(wait.address, operation.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ? 8 : 4));
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return good(
          !(write.flags & ~static_cast<unsigned>(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)) &&
          is_word(write.address, operation.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 ? 8 : 4));
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      return good(!operation.flushRemoteWrites.flags);
    case CU_STREAM_MEM_OP_BARRIER:
      return good(operation.memoryBarrier.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult make_words(Context& context, const CUstreamBatchMemOpParams* operations, unsigned count,
                    unsigned flags, WordsTask& out) {
  if (flags || count > kMostWords || (count && !operations)) return CUDA_ERROR_INVALID_VALUE;
  out = {context.shared_from_this(), {operations, operations + count}, flags};
  return check(out);
}

CUresult check(const WordsTask& task) {
  for (const auto& operation : task.operations) {
    if (const CUresult bad = check(operation)) return bad;
  }
  return CUDA_SUCCESS;
}

void run(const WordsTask& task) {
  for (const auto& operation : task.operations) {
    const auto& wait = operation.waitValue;
    const auto& write = operation.writeValue;
    switch (operation.operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        wait_for<u32>(*task.context, wait.address, wait.value, wait.flags);
        break;
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        wait_for<u64>(*task.context, wait.address, wait.value64, wait.flags);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        word<u32>(write.address).store(write.value);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        word<u64>(write.address).store(write.value64);
        break;
      default:
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
  }
}

}  // namespace heddle::driver
