// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See stream.h.
#include "mathlibs/core/stream.h"

#include <memory>
#include <utility>

#include "driver/api.h"
#include "mathlibs/core/blas_library.h"

namespace heddle::mathlibs {
namespace {

using Task = std::function<void()>;

void run_once(void* task) { (*std::unique_ptr<Task>(static_cast<Task*>(task)))(); }
void run_again(void* task) { (*static_cast<Task*>(task))(); }
void destroy(void* task) { delete static_cast<Task*>(task); }

cublasStatus_t status_of(CUresult result) {
  return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// The graph that the stream is captured into; null when it is not captured.
CUresult graph_of(CUstream stream, CUgraph& graph) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (const CUresult bad =
          cuStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, nullptr, nullptr))
    return bad;
  if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) graph = nullptr;
  return CUDA_SUCCESS;
}

/// The graph, and every graph that is made of it, keeps the task.
CUresult give_to(CUgraph graph, Task* task) {
  CUuserObject object = nullptr;
  if (const CUresult bad =
          cuUserObjectCreate(&object, task, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)) {
    delete task;
    return bad;
  }
  const CUresult bad = cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (bad) cuUserObjectRelease(object, 1);
  return bad;
}

}  // namespace

cublasStatus_t use_context() {
  if (!has_blas() || cuInit(0)) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (context) return CUBLAS_STATUS_SUCCESS;
  const bool bad = cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context);
  return bad ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t enqueue(cudaStream_t stream, std::function<void()> task) {
  CUgraph graph = nullptr;
  if (const CUresult bad = graph_of(stream, graph)) return status_of(bad);
  Task* const kept = new Task(std::move(task));  // run_once or the graph deletes it
  if (graph) {
    if (const CUresult bad = give_to(graph, kept)) return status_of(bad);
    return status_of(cuLaunchHostFunc(stream, run_again, kept));
  }
  const CUresult bad = cuLaunchHostFunc(stream, run_once, kept);
  if (bad) delete kept;
  return status_of(bad);
}

cublasStatus_t wait_for(cudaStream_t stream) { return status_of(cuStreamSynchronize(stream)); }

}  // namespace heddle::mathlibs
