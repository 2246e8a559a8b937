// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Green contexts, and the resources of which they are made. Driver API 6.35.
#include "driver/core/context/green_context.h"

#include <algorithm>
#include <set>

#include "driver/api.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/tables.h"
#include "driver/core/stream/context_marks.h"
#include "driver/core/stream/event.h"
#include "driver/core/stream/in_stream.h"
#include "driver/core/stream/tables.h"

using namespace heddle::driver;
using heddle::u32;
using heddle::u64;

namespace {

template <class Body>
CUresult with_green(CUgreenCtx handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto green = context_tables().green_contexts.find(handle);
    return green ? body(*green) : CUDA_ERROR_INVALID_CONTEXT;
  });
}

CUresult give_share(const SmShare& share, CUdevResource* resource, CUdevResourceType type) {
  if (!resource) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  *resource = share.resource();
  return CUDA_SUCCESS;
}

u64 next_split() {
  static std::atomic<u64> next{1};
  return next.fetch_add(1);
}

/// Runs `body(green, event)` when no stream of the green context is captured.
template <class Body>
CUresult with_event(CUgreenCtx handle, CUevent event_handle, Body body) {
  return with_green(handle, [&](GreenContext& green) -> CUresult {
    const auto event = stream_tables().events.find(event_handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult error = green.primary()->error()) return error;
    if (const CUresult bad = refuse_while_capturing(*green.streams())) return bad;
    return body(green, *event);
  });
}

}  // namespace

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource* resource, CUdevResourceType type) {
  return with_device(device,
                     [&](Device& found) { return give_share(all_of(found), resource, type); });
}

CUresult cuCtxGetDevResource(CUcontext hCtx, CUdevResource* resource, CUdevResourceType type) {
  return in_driver([&]() -> CUresult {
    const auto view = find_view(hCtx);
    if (!view.context) return CUDA_ERROR_INVALID_CONTEXT;
    return give_share(view.green ? view.green->share() : all_of(view.context->device()), resource,
                      type);
  });
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource* resource,
                                  CUdevResourceType type) {
  return with_green(hCtx,
                    [&](GreenContext& green) { return give_share(green.share(), resource, type); });
}

// All groups have the same size: the smallest that `minCount` and the alignment allow. A group can
// be split again only as the resource of a green context.
CUresult cuDevSmResourceSplitByCount(CUdevResource* result, unsigned int* nbGroups,
                                     const CUdevResource* input, CUdevResource* remaining,
                                     unsigned int useFlags, unsigned int minCount) {
  return in_driver([&]() -> CUresult {
    constexpr unsigned kKnown = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING |
                                CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
    if (!nbGroups || !input || (useFlags & ~kKnown)) return CUDA_ERROR_INVALID_VALUE;
    if (input->type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    const auto share = SmShare::from(*input);
    if (!share || minCount > share->count || (result && !*nbGroups)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (share->origin == SmShare::Origin::group) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    SmShare group = *share;
    group.origin = SmShare::Origin::group;
    group.split = next_split();
    if (useFlags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING) {
      group.least = std::min(group.least, 2u);
      group.alignment = std::min(group.alignment, 2u);
    }
    const u32 wanted = std::max({minCount, group.least, 1u});
    group.count = (wanted + group.alignment - 1) / group.alignment * group.alignment;
    const u32 most = share->count / group.count;
    if (!result) {
      *nbGroups = most;
      return CUDA_SUCCESS;
    }
    if (!most) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    *nbGroups = std::min(*nbGroups, most);
    for (group.index = 0; group.index < *nbGroups; ++group.index) {
      result[group.index] = group.resource();
    }
    if (remaining) {
      group.origin = SmShare::Origin::remainder;
      group.count = share->count - *nbGroups * group.count;
      *remaining = group.resource();
    }
    return CUDA_SUCCESS;
  });
}

// Several resources must be different parts of one split.
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* phDesc, CUdevResource* resources,
                                   unsigned int nbResources) {
  return in_driver([&]() -> CUresult {
    if (!phDesc || !resources || !nbResources) return CUDA_ERROR_INVALID_VALUE;
    std::optional<SmShare> whole;
    std::set<u32> parts;
    for (unsigned i = 0; i < nbResources; ++i) {
      if (resources[i].type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
      const auto share = SmShare::from(resources[i]);
      if (!share) return CUDA_ERROR_INVALID_VALUE;
      if (!parts.insert(share->index).second ||
          (whole &&
           (!share->split || share->split != whole->split || share->device != whole->device))) {
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
      }
      if (whole)
        whole->count += share->count;
      else
        whole = share;
    }
    whole->origin = SmShare::Origin::whole;  // for the green context that is made of these
    return give(phDesc,
                context_tables().resource_descriptors.add(std::make_shared<SmShare>(*whole)));
  });
}

CUresult cuGreenCtxCreate(CUgreenCtx* phCtx, CUdevResourceDesc desc, CUdevice dev,
                          unsigned int flags) {
  return with_device(dev, [&](Device& device) -> CUresult {
    const auto share = context_tables().resource_descriptors.find(desc);
    if (!phCtx || !share || flags != CU_GREEN_CTX_DEFAULT_STREAM ||
        share->device != device.ordinal) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return give(phCtx, GreenContext::create(device, *share)->handle());
  });
}

CUresult cuGreenCtxDestroy(CUgreenCtx hCtx) {
  return with_green(hCtx, [](GreenContext& green) {
    green.destroy();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxFromGreenCtx(CUcontext* pContext, CUgreenCtx hCtx) {
  return with_green(hCtx, [&](GreenContext& green) { return give(pContext, green.view()); });
}

CUresult cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long* greenCtxId) {
  if (greenCtx) {
    return with_green(greenCtx, [&](GreenContext& green) { return give(greenCtxId, green.id()); });
  }
  return in_any_context([&](Context&) -> CUresult {
    const GreenContext* const green = current_green();
    return green ? give(greenCtxId, green->id()) : CUDA_ERROR_INVALID_CONTEXT;
  });
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent) {
  return with_event(hCtx, hEvent, [](GreenContext& green, Event& event) {
    return record_all(*green.primary(), green.streams()->all(), event);
  });
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent) {
  return with_event(hCtx, hEvent, [](GreenContext& green, Event& event) -> CUresult {
    if (const CUresult bad = refuse_captured(event)) return bad;
    green.default_stream(CU_STREAM_LEGACY);  // makes it when no call has used it yet
    return wait_in_all(green.streams()->all(), event);
  });
}

CUresult cuGreenCtxStreamCreate(CUstream* phStream, CUgreenCtx greenCtx, unsigned int flags,
                                int priority) {
  return with_green(greenCtx, [&](GreenContext& green) -> CUresult {
    if (!phStream || flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult error = green.primary()->error()) return error;
    *phStream = stream_tables().streams.add(
        green.primary()->create_stream(flags, priority, green.streams()));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx* phCtx) {
  return with_stream(hStream,
                     [&](Context&, Stream& stream) { return give(phCtx, stream.group().green()); });
}

CUresult cuStreamGetDevResource(CUstream hStream, CUdevResource* resource, CUdevResourceType type) {
  return with_stream(hStream, [&](Context& context, Stream& stream) {
    const auto green = context_tables().green_contexts.find(stream.group().green());
    return give_share(green ? green->share() : all_of(context.device()), resource, type);
  });
}
