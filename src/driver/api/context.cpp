// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts: create, destroy, make current, settings. Driver API 6.8, 6.9.
#include <bit>

#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/tables.h"
#include "driver/core/stream/capture.h"

using namespace heddle::driver;

namespace {

// The result of cuCtxGetApiVersion: the newest version of the context API whose rules differ from
// those of the version before.
constexpr unsigned kContextApiVersion = 3020;
constexpr size_t kMaxStackBytes = 512 * 1024;

bool are_valid_flags(unsigned flags) {
  return !(flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) &&
         std::popcount(flags & CU_CTX_SCHED_MASK) <= 1;
}

CUresult create(CUcontext* pctx, unsigned flags, CUdevice dev) {
  return with_device(dev, [&](Device& device) -> CUresult {
    if (!pctx || !are_valid_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    auto context = Context::create(device, flags);
    *pctx = context->handle();
    context_stack().push_back({std::move(context)});
    return CUDA_SUCCESS;
  });
}

CUresult destroy(CUcontext ctx) {
  return in_driver([&]() -> CUresult {
    const auto context = context_tables().contexts.find(ctx);
    if (!context || context == context->device().primary.context) return CUDA_ERROR_INVALID_CONTEXT;
    auto& stack = context_stack();
    if (!stack.empty() && stack.back().context == context) stack.pop_back();
    context->destroy();
    return CUDA_SUCCESS;
  });
}

CUresult push(CUcontext ctx) {
  return in_driver([&]() -> CUresult {
    auto view = find_view(ctx);
    if (!view.context) return CUDA_ERROR_INVALID_CONTEXT;
    context_stack().push_back(std::move(view));
    return CUDA_SUCCESS;
  });
}

CUresult pop(CUcontext* pctx) {
  return in_driver([&]() -> CUresult {
    auto& stack = context_stack();
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (pctx) *pctx = stack.back().handle();
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}

/// Runs `body` for the context that `ctx` names, null being the current one.
template <class Body>
CUresult with_context(CUcontext ctx, Body body) {
  if (!ctx) return in_any_context(body);
  return in_driver([&]() -> CUresult {
    const auto context = find_context(ctx);
    return context ? body(*context) : CUDA_ERROR_INVALID_CONTEXT;
  });
}

bool is_supported(CUlimit limit) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
    case CU_LIMIT_PRINTF_FIFO_SIZE:
    case CU_LIMIT_MALLOC_HEAP_SIZE:
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
      return true;
    default:
      return false;
  }
}

CUresult check(CUlimit limit) {
  if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  return is_supported(limit) ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
}

}  // namespace

CUresult cuCtxCreate(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam* paramsArray, int numParams,
                        unsigned int flags, CUdevice dev) {
  if (numParams < 0 || (numParams > 0 && !paramsArray)) return CUDA_ERROR_INVALID_VALUE;
  if (numParams > 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags,
                        CUdevice dev) {
  if (ctxCreateParams && ctxCreateParams->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
  if (!ctxCreateParams) return create(pctx, flags, dev);
  return cuCtxCreate_v3(pctx, ctxCreateParams->execAffinityParams,
                        ctxCreateParams->numExecAffinityParams, flags, dev);
}

CUresult cuCtxAttach(CUcontext* pctx, unsigned int flags) {
  return in_any_context([&](Context& context) -> CUresult {
    if (!pctx || flags) return CUDA_ERROR_INVALID_VALUE;
    context.attach();
    *pctx = context.handle();
    return CUDA_SUCCESS;
  });
}

// The context must be the current one.
CUresult cuCtxDetach(CUcontext ctx) {
  return in_any_context([&](Context& context) -> CUresult {
    if (context.handle() != ctx || &context == context.device().primary.context.get()) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    return context.detach() ? destroy(ctx) : CUDA_SUCCESS;
  });
}

CUresult cuCtxDestroy(CUcontext ctx) { return destroy(ctx); }
CUresult cuCtxDestroy_v2(CUcontext ctx) { return destroy(ctx); }
CUresult cuCtxPushCurrent(CUcontext ctx) { return push(ctx); }
CUresult cuCtxPushCurrent_v2(CUcontext ctx) { return push(ctx); }
CUresult cuCtxPopCurrent(CUcontext* pctx) { return pop(pctx); }
CUresult cuCtxPopCurrent_v2(CUcontext* pctx) { return pop(pctx); }

// Replaces the top of the thread's stack. Null pops the top.
CUresult cuCtxSetCurrent(CUcontext ctx) {
  return in_driver([&]() -> CUresult {
    auto view = find_view(ctx);
    if (ctx && !view.context) return CUDA_ERROR_INVALID_CONTEXT;
    auto& stack = context_stack();
    if (!stack.empty()) stack.pop_back();
    if (view.context) stack.push_back(std::move(view));
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  return in_driver([&]() -> CUresult {
    const auto& stack = context_stack();
    return give<CUcontext>(pctx, stack.empty() ? nullptr : stack.back().handle());
  });
}

CUresult cuCtxGetDevice(CUdevice* device) { return cuCtxGetDevice_v2(device, nullptr); }

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext ctx) {
  return with_context(
      ctx, [&](Context& context) { return give<CUdevice>(device, context.device().ordinal); });
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  return with_context(ctx, [&](Context& context) {
    const auto green = green_of(ctx);
    return give(ctxId, green ? green->id() : context.id());
  });
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  return with_context(ctx, [&](Context&) { return give(version, kContextApiVersion); });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return in_any_context([&](Context& context) { return give(flags, context.flags()); });
}

CUresult cuCtxSetFlags(unsigned int flags) {
  return in_any_context([&](Context& context) -> CUresult {
    if (!are_valid_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    context.set_flags(flags);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() { return cuCtxSynchronize_v2(nullptr); }

// A green context waits for its own streams only.
CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  return with_context(ctx, [&](Context& context) -> CUresult {
    if (const auto green = green_of(ctx)) {
      if (const CUresult bad = refuse_while_capturing(*green->streams())) return bad;
      for (const auto& stream : green->streams()->all()) stream->synchronize();
      return context.error();
    }
    if (const CUresult bad = refuse_while_capturing(context)) return bad;
    return context.synchronize();
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return in_any_context([&](Context& context) -> CUresult {
    if (const CUresult bad = check(limit)) return bad;
    if (limit == CU_LIMIT_STACK_SIZE && value > kMaxStackBytes) return CUDA_ERROR_INVALID_VALUE;
    // The limit is fixed once a kernel has used its resource (6.8, cuCtxSetLimit).
    auto& runtime = context.runtime();
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && !runtime.set_heap_limit(value))
      return CUDA_ERROR_INVALID_VALUE;
    if (limit == CU_LIMIT_PRINTF_FIFO_SIZE && !runtime.set_printf_limit(value))
      return CUDA_ERROR_INVALID_VALUE;
    context.settings([&](auto& settings) { settings.limits[limit] = value; });
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  return in_any_context([&](Context& context) -> CUresult {
    if (const CUresult bad = check(limit)) return bad;
    return give(pvalue, context.settings([&](auto& settings) { return settings.limits[limit]; }));
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* pconfig) {
  return in_any_context([&](Context& context) {
    return give(pconfig, context.settings([](auto& settings) { return settings.cache; }));
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return in_any_context([&](Context& context) -> CUresult {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    context.settings([&](auto& settings) { settings.cache = config; });
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* pConfig) {
  return in_any_context([&](Context& context) {
    return give(pConfig, context.settings([](auto& settings) { return settings.shared; }));
  });
}

// Banks are fixed here, as on all newer GPUs: a valid wish is accepted and changes nothing.
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return in_any_context([&](Context&) -> CUresult {
    const bool known = config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                       config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return in_any_context([&](Context&) -> CUresult {
    if (leastPriority) *leastPriority = 0;
    if (greatestPriority) *greatestPriority = Stream::kGreatestPriority;
    return CUDA_SUCCESS;
  });
}

// Heddle has no persisting cache lines, so there is nothing to reset.
CUresult cuCtxResetPersistingL2Cache() {
  return in_any_context([](Context&) { return CUDA_SUCCESS; });
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam* pExecAffinity, CUexecAffinityType type) {
  return in_any_context([&](Context&) -> CUresult {
    return pExecAffinity && type == CU_EXEC_AFFINITY_TYPE_SM_COUNT
               ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
               : CUDA_ERROR_INVALID_VALUE;
  });
}
