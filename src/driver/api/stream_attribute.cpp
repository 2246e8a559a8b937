// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of streams. Driver API 6.18. The priority has an effect. The other attributes are kept
// for queries only.
#include "driver/api.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

bool is_stream_attribute(CUstreamAttrID attribute) {
  return attribute == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
         attribute == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
         attribute == CU_STREAM_ATTRIBUTE_PRIORITY ||
         attribute == CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
         attribute == CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

bool is_valid(CUstreamAttrID attribute, const CUstreamAttrValue& value) {
  switch (attribute) {
    case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
      return value.syncPolicy >= CU_SYNC_POLICY_AUTO &&
             value.syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC;
    case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      return value.accessPolicyWindow.hitRatio >= 0 && value.accessPolicyWindow.hitRatio <= 1;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return value.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT ||
             value.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    default:
      return true;
  }
}

}  // namespace

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                              const CUstreamAttrValue* param) {
  return with_stream(hStream, [&](Context&, Stream& stream) -> CUresult {
    if (!param || !is_stream_attribute(attr) || !is_valid(attr, *param)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (attr == CU_STREAM_ATTRIBUTE_PRIORITY) {
      stream.set_priority(param->priority);
    } else {
      stream.attributes([&](auto& all) { all[attr] = *param; });
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value) {
  return with_stream(hStream, [&](Context&, Stream& stream) -> CUresult {
    if (!value || !is_stream_attribute(attr)) return CUDA_ERROR_INVALID_VALUE;
    if (attr == CU_STREAM_ATTRIBUTE_PRIORITY) {
      *value = {};
      value->priority = stream.priority();
    } else {
      stream.attributes([&](auto& all) { *value = all[attr]; });
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCopyAttributes(CUstream dstStream, CUstream srcStream) {
  return with_stream(srcStream, [&](Context&, Stream& from) {
    return with_stream(dstStream, [&](Context&, Stream& to) {
      const auto all = from.attributes([](auto& all) { return all; });
      to.attributes([&](auto& own) { own = all; });
      to.set_priority(from.priority());
      return CUDA_SUCCESS;
    });
  });
}
