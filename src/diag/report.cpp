// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "diag/report.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::diag {
namespace {

/// Leaves out the middle of a sentence that quotes a very long name.
std::string shortened(std::string text) {
  constexpr std::size_t kMost = 600, kBegin = 400, kEnd = 100;
  if (text.size() <= kMost) return text;
  const auto is_inside = [&](std::size_t at) {  // within a character of several bytes
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t begin = kBegin, end = text.size() - kEnd;
  while (begin > 0 && is_inside(begin)) --begin;
  while (end < text.size() && is_inside(end)) ++end;
  return text.replace(begin, end - begin, "...");
}

constexpr KindInfo kKinds[] = {
#define DIAG(code, name, severity, message) {#code, #name, Severity::severity, message},
#include "diag/kinds.def"
#undef DIAG
};

}  // namespace

const KindInfo& info(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::size_t kind_count() { return std::size(kKinds); }

Diagnostic& Diagnostic::label(Span at, std::string text) {
  for (const Label& known : labels)
    if (known.span == at && known.text == text) return *this;
  labels.push_back({at, shortened(std::move(text))});
  return *this;
}

Diagnostic& Diagnostic::note(std::string text) {
  if (std::find(notes.begin(), notes.end(), text) != notes.end()) return *this;
  notes.push_back(shortened(std::move(text)));
  return *this;
}

Diagnostic& Diagnostic::help(std::string text) {
  if (std::find(helps.begin(), helps.end(), text) != helps.end()) return *this;
  helps.push_back(shortened(std::move(text)));
  return *this;
}

void Report::sort() {
  // Sorts by place, stably. (std::stable_sort makes clang warn about libstdc++ 12.)
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

void Report::drop_remarks() {
  std::erase_if(diagnostics_,
                [](const Diagnostic& one) { return one.severity == Severity::remark; });
}

Diagnostic& Report::add_formatted(Kind kind, Span span, std::string message) {
  // `.reg .b99 a, b;` is one mistake, although it is found for each name of the declaration.
  constexpr std::ptrdiff_t kRecent = 8;
  message = shortened(std::move(message));
  const auto end = diagnostics_.end();
  const auto same = std::find_if(
      end - std::min(end - diagnostics_.begin(), kRecent), end, [&](const Diagnostic& known) {
        return known.kind == kind && known.span == span && known.message == message;
      });
  if (same != end) return *same;
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
