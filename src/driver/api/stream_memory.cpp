// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting for and writing a word of memory as work of a stream. Driver API 6.21.
#include "driver/api.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

CUresult batch(CUstream stream, unsigned count, const CUstreamBatchMemOpParams* operations,
               unsigned flags) {
  return in_stream(stream, [&](Context& context, Stream& stream) -> CUresult {
    WordsTask task;
    if (const CUresult bad = make_words(context, operations, count, flags, task)) return bad;
    return count ? submit(context, stream, std::move(task)) : CUDA_SUCCESS;
  });
}

CUresult wait_for(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, address, {.value = value}, flags, 0};
  return batch(stream, 1, &operation, 0);
}

CUresult wait_for(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_64, address, {.value64 = value}, flags, 0};
  return batch(stream, 1, &operation, 0);
}

CUresult write(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, address, {.value = value}, flags, 0};
  return batch(stream, 1, &operation, 0);
}

CUresult write(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_64, address, {.value64 = value}, flags, 0};
  return batch(stream, 1, &operation, 0);
}

}  // namespace

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count,
                            CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  return batch(stream, count, paramArray, flags);
}
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  return batch(stream, count, paramArray, flags);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                             unsigned int flags) {
  return wait_for(stream, addr, value, flags);
}
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags) {
  return wait_for(stream, addr, value, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                             unsigned int flags) {
  return wait_for(stream, addr, value, flags);
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags) {
  return wait_for(stream, addr, value, flags);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                              unsigned int flags) {
  return write(stream, addr, value, flags);
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags) {
  return write(stream, addr, value, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                              unsigned int flags) {
  return write(stream, addr, value, flags);
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags) {
  return write(stream, addr, value, flags);
}
