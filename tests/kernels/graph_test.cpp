// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph algorithms.
#include <numeric>
#include <queue>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Graph, "graph");

struct Edge {
  int a, b;
};

std::vector<Edge> random_edges(int vertices, int count) {
  Random random(1);
  return tabulate(count, [&](size_t) {
    const int a = int(random.below(vertices)), b = int(random.below(vertices));
    return Edge{a, b};
  });
}

TEST_P(Graph, BreadthFirstSearch) {
  const int vertices = 400;
  std::vector<std::vector<int>> neighbours(vertices);
  for (Edge edge : random_edges(vertices, 600)) {
    neighbours[edge.a].push_back(edge.b);
    neighbours[edge.b].push_back(edge.a);
  }
  std::vector<int> rows = {0}, edges, expected(vertices, -1);
  for (const auto& list : neighbours) {
    edges.insert(edges.end(), list.begin(), list.end());
    rows.push_back(int(edges.size()));
  }
  std::queue<int> queue({0});
  expected[0] = 0;
  for (; !queue.empty(); queue.pop()) {
    for (int next : neighbours[queue.front()]) {
      if (expected[next] != -1) continue;
      expected[next] = expected[queue.front()] + 1;
      queue.push(next);
    }
  }
  std::vector<int> start(vertices, -1);
  start[0] = 0;
  for (const Shape& shape : {Shape{{13}, {32}}, Shape{{4}, {100}}}) {
    SCOPED_TRACE(shape);
    Buffer device_rows(rows), device_edges(edges), distance(start);
    for (int level = 0; level < vertices; ++level) {
      Buffer<int> changed(1);
      launch("bfs_level", shape, device_rows, device_edges, distance, vertices, level, changed);
      if (changed.values()[0] == 0) break;
    }
    EXPECT_SAME(distance, expected);
  }
}

TEST_P(Graph, ConnectedComponents) {
  const int vertices = 500;
  const auto edges = random_edges(vertices, 350);
  std::vector<int> identity(vertices), expected(vertices);
  std::iota(identity.begin(), identity.end(), 0);
  expected = identity;
  for (bool changed = true; changed;) {  // the smallest label spreads
    changed = false;
    for (Edge edge : edges) {
      const int low = std::min(expected[edge.a], expected[edge.b]);
      changed |= expected[edge.a] != low || expected[edge.b] != low;
      expected[edge.a] = expected[edge.b] = low;
    }
  }
  for (const Shape& shape : {Shape{{1}, {512}}, Shape{{16}, {32}}, Shape{{10}, {50}}}) {
    SCOPED_TRACE(shape);
    Buffer device(edges);
    Buffer parents(identity);
    launch("unite_edges", shape, device, int(edges.size()), parents);
    launch("flatten", shape, parents, vertices);
    EXPECT_SAME(parents, expected);
  }
}

}  // namespace
}  // namespace heddle::kernels
