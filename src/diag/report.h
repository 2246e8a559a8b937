// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mistakes in a user's PTX: a list of diagnostics, each of a kind that is registered in
// kinds.def with a stable code. docs/diagnostics-style.md has the rules for their texts.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "diag/source.h"

namespace heddle::diag {

/// A remark is a warning that is shown only on request (`heddle check -W`).
enum class Severity : u8 { remark, warning, error };

/// Every kind of diagnostic, from kinds.def: `DIAG(P2104, type_mismatch, error, "operand '{}' has
/// type {}, ...")`.
enum class Kind : u16 {
#define DIAG(code, name, severity, message) name,
#include "diag/kinds.def"
#undef DIAG
};

struct KindInfo {
  std::string_view code;  ///< "P2104", never reused
  std::string_view name;
  Severity severity;
  std::string_view message;  ///< fmt template
};
const KindInfo& info(Kind kind);
std::size_t kind_count();

/// A second place that helps to understand, e.g. where the register was declared.
struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  Kind kind;
  Severity severity;
  Span span;  ///< the narrowest span that shows the mistake
  std::string message;
  std::vector<Label> labels;
  std::vector<std::string> notes;  ///< the reason
  std::vector<std::string> helps;  ///< what to write instead

  Diagnostic& label(Span at, std::string text);
  Diagnostic& note(std::string text);
  Diagnostic& help(std::string text);
  /// A help, unless `question` is empty (Spelling::question()).
  Diagnostic& ask(std::string question) {
    return question.empty() ? *this : help(std::move(question));
  }
};

class Report {
 public:
  Report() = default;
  /// A report for a trial, of which only success or failure matters: diagnostics are counted and
  /// dropped without formatting a text.
  static Report trial() {
    Report report;
    report.is_trial_ = true;
    return report;
  }
  bool is_trial() const { return is_trial_; }
  /// Starts a new trial: diagnostics() is empty.
  void restart() { diagnostics_.clear(); }

  /// Adds one diagnostic; the message template of `kind` is formatted with `args`.
  template <class... Args>
  Diagnostic& add(Kind kind, Span span, const Args&... args) {
    if (is_trial_) return forget(kind, span);
    return add_formatted(kind, span,
                         fmt::vformat(info(kind).message, fmt::make_format_args(args...)));
  }

  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

  /// Orders by place (stable), so that phases may report in any order.
  void sort();
  /// Removes the remarks.
  void drop_remarks();

 private:
  Diagnostic& add_formatted(Kind kind, Span span, std::string message);
  Diagnostic& forget(Kind kind, Span span);

  std::vector<Diagnostic> diagnostics_;  // in a trial: only the last one
  std::size_t errors_ = 0;
  bool is_trial_ = false;
};

/// Human-readable, with source line and carets; `colour` uses ANSI escapes.
std::string render_text(const Report& report, const Source& source, bool colour = false);

/// The report of one file.
struct Checked {
  Source source;
  Report report;
};
/// One JSON array of objects {code, severity, message, file, line, column, endLine, endColumn,
/// labels, notes, helps} over all files.
std::string render_json(const std::vector<Checked>& files);
/// One SARIF 2.1.0 log with one run over all files. `complete`: no file of the command line is
/// missing.
std::string render_sarif(const std::vector<Checked>& files, bool complete = true);

}  // namespace heddle::diag
