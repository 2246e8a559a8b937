// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as DOT text. Driver API 6.24 (cuGraphDebugDotPrint). The layout is Heddle's own. The
// contents are those that the API lists: topology, node types, node ids and kernels, and more with
// flags.
#include <fmt/format.h>

#include "driver/core/graph/conditional.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_memory.h"

namespace heddle::driver {
namespace {

const char* name_of(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return "KERNEL";
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return "MEMCPY";
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return "MEMSET";
    case CU_GRAPH_NODE_TYPE_HOST:
      return "HOST";
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return "GRAPH";
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return "EMPTY";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return "WAIT_EVENT";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return "EVENT_RECORD";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return "MEM_ALLOC";
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return "MEM_FREE";
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return "BATCH_MEM_OP";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return "CONDITIONAL";
    default:
      return "?";
  }
}

const char* name_of(CUmemorytype type) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      return "HOST";
    case CU_MEMORYTYPE_DEVICE:
      return "DEVICE";
    case CU_MEMORYTYPE_ARRAY:
      return "ARRAY";
    default:
      return "UNIFIED";
  }
}

std::string shape(const machine::Dim3& of) { return fmt::format("{}x{}x{}", of.x, of.y, of.z); }

/// Writes the parameters of a task into the label of its node.
struct Describe {
  unsigned flags;
  bool wants(unsigned flag) const { return flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE); }

  std::string operator()(const KernelTask& task) const {
    std::string text = "\\n" + task.function->kernel().name;
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS)) {
      text += fmt::format("\\ngrid {} block {} shared {}", shape(task.shape().grid),
                          shape(task.shape().block), task.shape().dynamic_shared);
    }
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES)) {
      for (const auto& attribute : task.attributes) {
        text += fmt::format("\\nattribute {}", static_cast<int>(attribute.id));
      }
    }
    return text;
  }
  std::string operator()(const CopyTask& task) const {
    std::string text = fmt::format("\\n{} to {}", name_of(task.params.srcMemoryType),
                                   name_of(task.params.dstMemoryType));
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)) {
      text += fmt::format("\\n{:#x} to {:#x}\\n{} x {} x {} bytes", task.copy.from.base,
                          task.copy.to.base, task.copy.width, task.copy.height, task.copy.depth);
    }
    return text;
  }
  std::string operator()(const FillTask& task) const {
    if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)) return "";
    const auto& [dst, pitch, value, size, width, height] = task.params;
    return fmt::format("\\n{:#x} = {:#x}\\n{} x {} elements of {} bytes, pitch {}", dst, value,
                       width, height, size, pitch);
  }
  std::string operator()(const HostTask& task) const {
    if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS)) return "";
    return fmt::format("\\nfunction {}\\ndata {}", reinterpret_cast<const void*>(task.function),
                       task.data);
  }
  std::string operator()(const ChildTask& task) const {
    return fmt::format("\\ngraph {}", task.graph->id());
  }
  std::string operator()(const EmptyTask&) const { return ""; }
  std::string operator()(const WaitEventTask& task) const { return event(task.handle); }
  std::string operator()(const RecordEventTask& task) const { return event(task.handle); }
  std::string operator()(const AllocateTask& task) const {
    if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) return "";
    return fmt::format("\\n{:#x}, {} bytes", task.allocation->base(), task.allocation->size());
  }
  std::string operator()(const FreeTask& task) const {
    if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS)) return "";
    return fmt::format("\\n{:#x}", task.address);
  }
  std::string operator()(const WordsTask& task) const {
    if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS)) return "";
    return fmt::format("\\n{} operations", task.operations.size());
  }
  std::string operator()(const ConditionalTask& task) const {
    constexpr const char* kKinds[] = {"IF", "WHILE", "SWITCH"};
    std::string text = fmt::format("\\n{}", kKinds[task.type]);
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS)) {
      text +=
          fmt::format("\\nhandle {:#x}, {} bodies", task.condition->handle(), task.bodies.size());
    }
    return text;
  }

 private:
  std::string event(CUevent handle) const {
    if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS)) return "";
    return fmt::format("\\nevent {}", static_cast<const void*>(handle));
  }
};

std::string id_of(const Node& node) {
  return fmt::format("\"graph_{}_node_{}\"", node.graph->id(), node.id);
}

void print(const Graph& graph, unsigned flags, std::string& out) {
  out += fmt::format("subgraph cluster_{} {{\nlabel=\"graph_{}\"\n", graph.id(), graph.id());
  for (const auto& node : graph.nodes()) {
    std::string label = fmt::format("{}\\n{}", node->id, name_of(type_of(node->task))) +
                        std::visit(Describe{flags}, node->task);
    if (flags & (CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)) {
      label += fmt::format("\\nnode {}", static_cast<const void*>(node->handle));
    }
    out += fmt::format("{} [shape=\"record\" label=\"{}\"];\n", id_of(*node), label);
  }
  for (const auto& node : graph.nodes()) {
    for (const NodeLink& link : node->to) {
      out += fmt::format("{} -> {}{};\n", id_of(*node), id_of(*link.node),
                         is_default(link.data) ? "" : " [style=dashed]");
    }
  }
  for (const auto& node : graph.nodes()) {
    for (const auto& within : graphs_in(node->task)) print(*within, flags, out);
  }
  out += "}\n";
}

}  // namespace

std::string dot(const Graph& graph, unsigned flags) {
  std::string out = "digraph dot {\n";
  print(graph, flags, out);
  return out + "}\n";
}

}  // namespace heddle::driver
