// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks: values that describe work, a type for each kind. The same value is executed in a stream,
// or kept in a graph's node and executed at each launch, so a captured call does what the immediate
// one does. Driver API 6.18, 6.22, 6.24.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "driver/core/launch/launch.h"
#include "driver/core/memory/copy.h"
#include "driver/core/memory/fill.h"
#include "driver/core/stream/event.h"

namespace heddle::driver {

class Conditional;
class Graph;
class GraphAllocation;

struct CopyTask {
  ContextPtr context;
  CUDA_MEMCPY3D params;  ///< the program's parameters, for queries
  Copy copy;
};

struct HostTask {
  CUhostFn function = nullptr;
  void* data = nullptr;
};

/// Memory operations: waits for words and writes words, in this order.
struct WordsTask {
  ContextPtr context;
  std::vector<CUstreamBatchMemOpParams> operations;
  unsigned flags = 0;
};

struct EmptyTask {};

struct WaitEventTask {
  EventPtr event;
  CUevent handle = nullptr;
};

struct RecordEventTask {
  EventPtr event;
  CUevent handle = nullptr;
};

struct ChildTask {
  std::shared_ptr<Graph> graph;  ///< the node owns it
};

struct AllocateTask {
  std::shared_ptr<GraphAllocation> allocation;
};

struct FreeTask {
  CUdeviceptr address = 0;
};

struct ConditionalTask {
  std::shared_ptr<Conditional> condition;
  CUgraphConditionalNodeType type = CU_GRAPH_COND_TYPE_IF;
  std::vector<std::shared_ptr<Graph>> bodies;  ///< the node owns them
  std::vector<CUgraph> handles;                ///< of the bodies; the program may use them
  ContextPtr context;
};

using Task =
    std::variant<KernelTask, CopyTask, FillTask, HostTask, ChildTask, EmptyTask, WaitEventTask,
                 RecordEventTask, AllocateTask, FreeTask, WordsTask, ConditionalTask>;

CUgraphNodeType type_of(const Task& task);
/// The context of a task; null when it has none.
Context* context_of(const Task& task);

/// Executes a task. Tasks of events, graph memory and child graphs need their launch as well, and
/// are not executed here.
void perform(const Task& task);

/// Makes a task of memory operations, and checks their addresses and flags.
CUresult make_words(Context& context, const CUstreamBatchMemOpParams* operations, unsigned count,
                    unsigned flags, WordsTask& out);

/// Appends a task to a stream, or to the graph that the stream is captured into.
CUresult submit(Context& context, Stream& stream, Task task);
/// Appends a task to a stream and waits for it. Such a call cannot be captured.
CUresult submit_and_wait(Context& context, Stream& stream, Task task);

}  // namespace heddle::driver
