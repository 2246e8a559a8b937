// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "diag/report.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::diag {
namespace {

constexpr KindInfo kKinds[] = {
#define DIAG(code, name, severity, message) {#code, #name, Severity::severity, message},
#include "diag/kinds.def"
#undef DIAG
};

}  // namespace

const KindInfo& info(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::size_t kind_count() { return std::size(kKinds); }

Diagnostic& Diagnostic::label(Span at, std::string text) {
  labels.push_back({at, std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::note(std::string text) {
  notes.push_back(std::move(text));
  return *this;
}

Diagnostic& Diagnostic::help(std::string text) {
  helps.push_back(std::move(text));
  return *this;
}

void Report::sort() {
  // By place, then by arrival. (std::stable_sort makes clang warn about libstdc++ 12.)
  std::vector<std::size_t> order(diagnostics_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(diagnostics_[a].span, a) < std::pair(diagnostics_[b].span, b);
  });
  std::vector<Diagnostic> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(diagnostics_[i]));
  diagnostics_ = std::move(sorted);
}

Diagnostic& Report::add_formatted(Kind kind, Span span, std::string message) {
  const Severity severity = info(kind).severity;
  if (severity == Severity::error) ++errors_;
  diagnostics_.push_back({kind, severity, span, std::move(message), {}, {}, {}});
  return diagnostics_.back();
}

Diagnostic& Report::forget(Kind kind, Span span) {
  diagnostics_.clear();
  return add_formatted(kind, span, {});
}

}  // namespace heddle::diag
