// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics for tools.
#include <nlohmann/json.hpp>

#include "diag/report.h"

namespace heddle::diag {
namespace {

using Json = nlohmann::ordered_json;

void add_place(Json& object, const Source& source, Span span) {
  const Place begin = source.place(span.begin);
  const Place end = source.place(span.end);
  object["file"] = begin.file;
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["endLine"] = end.line;
  object["endColumn"] = end.column;
}

Json to_json(const Diagnostic& diagnostic, const Source& source) {
  Json object;
  object["code"] = info(diagnostic.kind).code;
  object["severity"] = diagnostic.severity == Severity::error ? "error" : "warning";
  object["message"] = diagnostic.message;
  add_place(object, source, diagnostic.span);
  object["labels"] = Json::array();
  for (const Label& label : diagnostic.labels) {
    Json& entry = object["labels"].emplace_back();
    entry["message"] = label.text;
    add_place(entry, source, label.span);
  }
  object["notes"] = diagnostic.notes;
  object["helps"] = diagnostic.helps;
  return object;
}

}  // namespace

std::string render_json(const std::vector<Checked>& files) {
  Json list = Json::array();
  for (const Checked& file : files) {
    for (const Diagnostic& diagnostic : file.report.diagnostics())
      list.push_back(to_json(diagnostic, file.source));
  }
  // A message may quote bytes of the source that are no UTF-8.
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::diag
