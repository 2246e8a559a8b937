// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User objects. Driver API 6.24.
#include <climits>

#include "driver/api.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_call.h"
#include "driver/core/graph/tables.h"
#include "driver/core/graph/user_object.h"

using namespace heddle::driver;

namespace {

/// Runs `body(object)` for a count of references that makes sense.
template <class Body>
CUresult with_object(CUuserObject handle, unsigned count, Body body) {
  return in_driver([&]() -> CUresult {
    const auto object = graph_tables().user_objects.find(handle);
    if (!object || !count || count > INT_MAX) return CUDA_ERROR_INVALID_VALUE;
    return body(object);
  });
}

CUresult good(bool ok) { return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

}  // namespace

CUresult cuUserObjectCreate(CUuserObject* object_out, void* ptr, CUhostFn destroy,
                            unsigned int initialRefcount, unsigned int flags) {
  return in_driver([&]() -> CUresult {
    if (!object_out || !destroy || !initialRefcount || initialRefcount > INT_MAX ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *object_out = UserObject::create(ptr, destroy, initialRefcount);
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  return with_object(object, count, [&](const UserObjectPtr& object) {
    object->retain(count);
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  return with_object(object, count,
                     [&](const UserObjectPtr& object) { return good(object->release(count)); });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags) {
  return with_object(object, count, [&](const UserObjectPtr& object) {
    return with_graph(graph, [&](const GraphPtr& graph) -> CUresult {
      if (flags & ~static_cast<unsigned>(CU_GRAPH_USER_OBJECT_MOVE)) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      if (!(flags & CU_GRAPH_USER_OBJECT_MOVE)) object->retain(count);
      graph->objects.add(object, count);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  return with_object(object, count, [&](const UserObjectPtr& object) {
    return with_graph(
        graph, [&](const GraphPtr& graph) { return good(graph->objects.release(object, count)); });
  });
}
