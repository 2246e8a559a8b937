// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See task.h.
#include "driver/core/stream/task.h"

#include "base/roomy_stack.h"
#include "driver/core/context/call.h"
#include "driver/core/log.h"
#include "driver/core/stream/capture.h"
#include "driver/core/stream/words.h"

namespace heddle::driver {
namespace {

// In the order of the variant.
constexpr CUgraphNodeType kTypes[] = {
    CU_GRAPH_NODE_TYPE_KERNEL,     CU_GRAPH_NODE_TYPE_MEMCPY,       CU_GRAPH_NODE_TYPE_MEMSET,
    CU_GRAPH_NODE_TYPE_HOST,       CU_GRAPH_NODE_TYPE_GRAPH,        CU_GRAPH_NODE_TYPE_EMPTY,
    CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEM_FREE,   CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, CU_GRAPH_NODE_TYPE_CONDITIONAL};
static_assert(std::size(kTypes) == std::variant_size_v<Task>);

// A program that does not wait may have freed the memory since the task was made.
bool is_still_there(Context& context, CUresult now, const char* what) {
  if (now == CUDA_SUCCESS) return true;
  say("a {} uses memory that has been freed", what);
  context.fail(CUDA_ERROR_ILLEGAL_ADDRESS);
  return false;
}

struct Perform {
  void operator()(const KernelTask& task) const {
    on_roomy_stack([&] { run(task); });
  }
  void operator()(const CopyTask& task) const {
    if (is_still_there(*task.context, task.copy.check(), "copy")) task.copy.execute();
  }
  void operator()(const FillTask& task) const {
    if (is_still_there(*task.context, check(task), "memset")) run(task);
  }
  void operator()(const WordsTask& task) const {
    if (is_still_there(*task.context, check(task), "memory operation")) run(task);
  }
  void operator()(const HostTask& task) const {
    const InCallback scope(InCallback::Kind::host_function);
    task.function(task.data);
  }
  void operator()(const auto&) const {}
};

}  // namespace

CUgraphNodeType type_of(const Task& task) { return kTypes[task.index()]; }

Context* context_of(const Task& task) {
  return std::visit(
      [](const auto& each) -> Context* {
        if constexpr (requires { each.context; }) return each.context.get();
        return nullptr;
      },
      task);
}

void perform(const Task& task) { std::visit(Perform{}, task); }

CUresult submit(Context& context, Stream& stream, Task task) {
  bool captured = false;
  if (const CUresult bad = capture(stream, task, captured); bad || captured) return bad;
  context.enqueue(stream, [task = std::move(task)] { perform(task); });
  return CUDA_SUCCESS;
}

CUresult submit_and_wait(Context& context, Stream& stream, Task task) {
  if (const CUresult bad = refuse_in_capture(stream)) return bad;
  return context.run(stream, [&] { perform(task); });
}

}  // namespace heddle::driver
