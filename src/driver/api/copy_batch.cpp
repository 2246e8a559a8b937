// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of copies. Driver API 6.13. The copies run in the order of the batch. A source in
// pageable memory is read before the call returns, as for every copy.
#include "driver/api.h"
#include "driver/core/memory/array.h"
#include "driver/core/memory/tables.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

constexpr size_t kNone = SIZE_MAX;

bool is_valid(CUmemcpySrcAccessOrder order, unsigned flags) {
  return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY &&
         !(flags & ~static_cast<unsigned>(CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE));
}

/// Describes all copies by `describe(i, params)`, then executes them. `failed`: the number of the
/// copy with an error; kNone: the error is one of the whole call.
template <class Describe>
CUresult copy_all(size_t count, size_t* failed, CUstream handle, Describe describe) {
  if (failed) *failed = kNone;
  return in_stream(handle, [&](Context& context, Stream& stream) -> CUresult {
    if (!count || stream.kind() == Stream::Kind::legacy) return CUDA_ERROR_INVALID_VALUE;
    std::vector<CopyTask> tasks;
    for (size_t i = 0; i < count; ++i) {
      CopyTask task{context.shared_from_this(), {}, {}};
      CUresult bad = describe(i, task.params);
      if (!bad) bad = make_copy(task.params, task.copy);
      if (bad) {
        if (failed) *failed = i;
        return bad;
      }
      tasks.push_back(std::move(task));
    }
    for (auto& task : tasks) {
      if (const CUresult bad = copy_async(context, stream, std::move(task))) return bad;
    }
    return CUDA_SUCCESS;
  });
}

CUresult batch(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
               CUmemcpyAttributes* attrs, size_t* firsts, size_t number, size_t* failed,
               CUstream stream) {
  const auto is_good = [&] {
    if (!dsts || !srcs || !sizes || !attrs || !is_partition(firsts, number, count)) return false;
    return std::all_of(attrs, attrs + number, [](const CUmemcpyAttributes& each) {
      return is_valid(each.srcAccessOrder, each.flags);
    });
  };
  if (!is_good()) {
    if (failed) *failed = kNone;
    return in_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return copy_all(count, failed, stream, [&](size_t i, CUDA_MEMCPY3D& params) {
    params = linear_copy(anywhere(dsts[i]), anywhere(srcs[i]), sizes[i]);
    return CUDA_SUCCESS;
  });
}

/// Bytes of an element of the copy: those of an array's element or block when one of its sides is
/// an array, else 1.
CUresult element_bytes(const CUDA_MEMCPY3D_BATCH_OP& op, size_t& bytes) {
  bytes = 1;
  size_t of_source = 0;
  for (const auto* side : {&op.src, &op.dst}) {
    if (side->type == CU_MEMCPY_OPERAND_TYPE_POINTER) continue;
    if (side->type != CU_MEMCPY_OPERAND_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
    const auto array = memory_tables().arrays.find(side->op.array.array);
    if (!array) return CUDA_ERROR_INVALID_VALUE;
    bytes = array->element().bytes;
    if (side == &op.src) of_source = bytes;
  }
  return of_source && of_source != bytes ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult describe(const CUDA_MEMCPY3D_BATCH_OP& op, CUDA_MEMCPY3D& params) {
  size_t bytes = 1;
  if (!is_valid(op.srcAccessOrder, op.flags)) return CUDA_ERROR_INVALID_VALUE;
  if (!op.extent.width || !op.extent.height || !op.extent.depth) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult bad = element_bytes(op, bytes)) return bad;
  params.WidthInBytes = op.extent.width * bytes;
  params.Height = op.extent.height;
  params.Depth = op.extent.depth;
  if (op.src.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
    const auto& from = op.src.op.array;
    params.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    params.srcArray = from.array;
    params.srcXInBytes = from.offset.x * bytes;
    params.srcY = from.offset.y;
    params.srcZ = from.offset.z;
  } else {
    const auto& from = op.src.op.ptr;
    params.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    params.srcDevice = from.ptr;
    params.srcPitch = from.rowLength * bytes;
    params.srcHeight = from.layerHeight;
  }
  if (op.dst.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
    const auto& to = op.dst.op.array;
    params.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    params.dstArray = to.array;
    params.dstXInBytes = to.offset.x * bytes;
    params.dstY = to.offset.y;
    params.dstZ = to.offset.z;
  } else {
    const auto& to = op.dst.op.ptr;
    params.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    params.dstDevice = to.ptr;
    params.dstPitch = to.rowLength * bytes;
    params.dstHeight = to.layerHeight;
  }
  return CUDA_SUCCESS;
}

CUresult batch_3d(size_t count, const CUDA_MEMCPY3D_BATCH_OP* ops, size_t* failed,
                  unsigned long long flags, CUstream stream) {
  if (!ops || flags) {
    if (failed) *failed = kNone;
    return in_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return copy_all(count, failed, stream,
                  [&](size_t i, CUDA_MEMCPY3D& params) { return describe(ops[i], params); });
}

}  // namespace

CUresult cuMemcpyBatchAsync(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                            CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                            size_t* failIdx, CUstream hStream) {
  return batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream);
}
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                               CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                               CUstream hStream) {
  return batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, nullptr, hStream);
}
CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList, size_t* failIdx,
                              unsigned long long flags, CUstream hStream) {
  return batch_3d(numOps, opList, failIdx, flags, hStream);
}
CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList,
                                 unsigned long long flags, CUstream hStream) {
  return batch_3d(numOps, opList, nullptr, flags, hStream);
}
