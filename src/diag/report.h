// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a user's PTX: a list of diagnostics, each of a kind that is registered in
// kinds.def with a stable code. docs/diagnostics-style.md says how they read.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "diag/source.h"

namespace heddle::diag {

/// A remark is a warning that is shown only where somebody asks for it.
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
  Span span;  ///< the narrowest that shows the mistake
  std::string message;
  std::vector<Label> labels;
  std::vector<std::string> notes;  ///< why
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
  /// For a trial that matters only by whether it succeeds: what is added is counted and forgotten,
  /// no text is made of it.
  static Report trial() {
    Report report;
    report.is_trial_ = true;
    return report;
  }
  bool is_trial() const { return is_trial_; }
  /// A trial begins anew: diagnostics() is empty until something is added.
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
  /// Forgets remarks.
  void drop_remarks();

 private:
  Diagnostic& add_formatted(Kind kind, Span span, std::string message);
  Diagnostic& forget(Kind kind, Span span);

  std::vector<Diagnostic> diagnostics_;  // of a trial: the last one
  std::size_t errors_ = 0;
  bool is_trial_ = false;
};

/// Human-readable, with source line and carets; `colour` uses ANSI escapes.
std::string render_text(const Report& report, const Source& source, bool colour = false);

/// What was found in one file.
struct Checked {
  Source source;
  Report report;
};
/// One JSON array of objects {code, severity, message, file, line, column, endLine, endColumn,
/// labels, notes, helps} over all files.
std::string render_json(const std::vector<Checked>& files);
/// One SARIF 2.1.0 log with one run over all files. `complete`: every file that was asked for is
/// among them.
std::string render_sarif(const std::vector<Checked>& files, bool complete = true);

}  // namespace heddle::diag
