// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics for code review: SARIF 2.1.0, an OASIS standard that editors and forges read. Section
// numbers below are its own.
#include <map>
#include <nlohmann/json.hpp>

#include "diag/explanation.h"
#include "diag/report.h"

namespace heddle::diag {
namespace {

using Json = nlohmann::ordered_json;

/// `path` as a valid URI reference of RFC 3986 (3.4.3): absolute paths become file URIs.
std::string uri_of(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || std::string_view("/-._~").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

/// Columns in UTF-16 code units (3.30.6, and `columnKind` of the run). The code units are counted
/// once, up to each block of the text, because a line may have megabytes and many diagnostics.
class Columns {
 public:
  explicit Columns(const Source& source) : source_(source) {
    const std::string_view text = source.text();
    for (std::size_t begin = 0; begin < text.size(); begin += kBlock)
      before_.push_back(before_.back() + units_of(text.substr(begin, kBlock)));
  }

  /// The column of `offset`, from 1.
  u32 of(u32 offset) const { return units_before(offset) - units_before(line_of(offset)) + 1; }

  const Source& source() const { return source_; }

 private:
  static constexpr u32 kBlock = 1024;

  static u32 units_of(std::string_view text) {
    u32 units = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte & 0xc0) == 0x80) continue;  // continues the character before
      units += byte >= 0xf0 ? 2 : 1;
    }
    return units;
  }
  u32 line_of(u32 offset) const { return source_.line_of(offset).begin; }
  u32 units_before(u32 offset) const {
    return before_[offset / kBlock] + units_of(source_.text({offset / kBlock * kBlock, offset}));
  }

  const Source& source_;
  std::vector<u32> before_{0};  ///< units before each block
};

Json location(const Columns& columns, Span span) {
  const Source& source = columns.source();
  const Place begin = source.place(span.begin), end = source.place(span.end);
  Json result;
  Json& physical = result["physicalLocation"];
  physical["artifactLocation"]["uri"] = uri_of(begin.file);
  Json& region = physical["region"];
  region["startLine"] = begin.line;
  region["startColumn"] = columns.of(span.begin);
  // A line marker inside the span would make the end come first.
  if (end.file == begin.file && end.line >= begin.line) {
    region["endLine"] = end.line;
    region["endColumn"] = columns.of(span.end);
  }
  return result;
}

std::string_view level_of(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

Json rule(Kind kind) {
  const Explanation& more = explanation(kind);
  Json rule;
  rule["id"] = info(kind).code;
  rule["name"] = info(kind).name;
  rule["shortDescription"]["text"] = title(kind);
  rule["fullDescription"]["text"] = more.why;
  rule["defaultConfiguration"]["level"] = level_of(info(kind).severity);
  rule["help"]["text"] =
      fmt::format("{}\n\nWrong:\n\n{}\nRight:\n\n{}", more.why, more.wrong.text, more.right.text);
  rule["help"]["markdown"] =
      fmt::format("{}\n\nWrong:\n\n```ptx\n{}```\n\nRight:\n\n```ptx\n{}```\n", more.why,
                  more.wrong.text, more.right.text);
  return rule;
}

Json result_of(const Diagnostic& diagnostic, const Columns& columns, std::size_t rule_index) {
  Json result;
  result["ruleId"] = info(diagnostic.kind).code;
  result["ruleIndex"] = rule_index;
  result["level"] = level_of(diagnostic.severity);
  std::string message = diagnostic.message;
  for (const std::string& note : diagnostic.notes) message += "\nnote: " + note;
  for (const std::string& help : diagnostic.helps) message += "\nhelp: " + help;
  result["message"]["text"] = std::move(message);
  result["locations"] = Json::array({location(columns, diagnostic.span)});
  for (std::size_t i = 0; i < diagnostic.labels.size(); ++i) {
    Json related{{"id", i + 1}};
    related.update(location(columns, diagnostic.labels[i].span));
    related["message"]["text"] = diagnostic.labels[i].text;
    result["relatedLocations"].push_back(std::move(related));
  }
  return result;
}

}  // namespace

std::string render_sarif(const std::vector<Checked>& files, bool complete) {
  std::map<Kind, std::size_t> rule_index;  // the broken rules, in the order of their codes
  for (const Checked& file : files) {
    for (const Diagnostic& diagnostic : file.report.diagnostics()) rule_index[diagnostic.kind];
  }
  Json rules = Json::array(), results = Json::array();
  for (auto& [kind, index] : rule_index) {
    index = rules.size();
    rules.push_back(rule(kind));
  }
  for (const Checked& file : files) {
    const Columns columns(file.source);
    for (const Diagnostic& diagnostic : file.report.diagnostics())
      results.push_back(result_of(diagnostic, columns, rule_index[diagnostic.kind]));
  }
  Json run;
  Json& driver = run["tool"]["driver"];
  driver["name"] = "heddle";
  driver["version"] = HEDDLE_VERSION;
  driver["rules"] = std::move(rules);
  run["invocations"] = Json::array({Json{{"executionSuccessful", complete}}});
  run["columnKind"] = "utf16CodeUnits";
  run["results"] = std::move(results);
  Json log;
  log["$schema"] =
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"] = Json::array({std::move(run)});
  // A message may quote bytes of the source that are no UTF-8.
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::diag
