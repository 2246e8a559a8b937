// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages for an instruction that matches no form: which modifier is wrong, which one is
// missing, and the nearest forms, first those that match the operands.
#include <algorithm>
#include <functional>

#include "base/spelling.h"
#include "check/advice.h"
#include "check/body_checker.h"
#include "isa/spell.h"
#include "syntax/words.h"

namespace heddle::check {

using diag::Kind;
using isa::Mismatch;
using syntax::Expr;
using syntax::ExprKind;

namespace {

std::string dotted(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words)
    text += fmt::format("{}.{}", text.empty() ? "" : " ", word);
  return text;
}

/// The difference between a near form and the written mnemonic, as text.
std::string change(const isa::Nearest& near, const Mnemonic& mnemonic, std::string_view written) {
  std::vector<std::string_view> added, removed;
  for (const u16 word : near.added) added.push_back(isa::word_text(word));
  for (const int word : near.removed) {
    const auto [at, length] = mnemonic.word_at[static_cast<std::size_t>(word)];
    removed.push_back(written.substr(at + 1, length - 1));
  }
  if (removed.empty()) return fmt::format("with {}", dotted(added));
  if (added.empty()) return fmt::format("without {}", dotted(removed));
  return fmt::format("with {} instead of {}", dotted(added), dotted(removed));
}

}  // namespace

namespace {

constexpr int kStrangest = 3;

/// Sorts by strangeness, stably. (std::stable_sort makes clang warn about libstdc++ 12.)
template <class T, class StrangenessOf>
std::vector<T> in_order(const std::vector<T>& from, const StrangenessOf& strangeness_of) {
  std::vector<T> ordered;
  for (int level = 0; level <= kStrangest; ++level)
    for (const T& one : from)
      if (strangeness_of(one) == level) ordered.push_back(one);
  return ordered;
}

}  // namespace

/// Whether the operands match the form.
bool BodyChecker::operands_fit(const syntax::Instruction& written,
                               const isa::Candidate& candidate) {
  const std::size_t before = f_.operands.size();
  const Plan plan = module_.plan(candidate);
  trial_.restart();
  is_exact_ = true;
  const bool fit = bind(written, candidate, plan, trial_);
  is_exact_ = false;
  f_.operands.resize(before);
  return fit;
}

/// The distance between the types among `words` and the type of the first register: 0 for the same
/// type, or for an integer and bits of the same size; greatest for different sizes.
int BodyChecker::strangeness(const syntax::Instruction& written, std::span<const u16> words) const {
  isa::Type type = isa::Type::none;
  for (u32 i = 0; i < written.operands.count && type == isa::Type::none; ++i) {
    const Expr& expr = tree_[tree_.expr_lists[written.operands.first + i]];
    if (expr.kind != ExprKind::name) continue;
    const Symbol& symbol = module_.scopes_[expr.name_id];
    if (symbol.kind == SymbolKind::reg) type = f_.registers[symbol.id].type;
  }
  if (type == isa::Type::none) return 0;
  const isa::TypeInfo& have = isa::type_info(type);
  const auto is_whole = [](const isa::TypeInfo& one) {
    return one.cls == isa::TypeClass::bits || one.cls == isa::TypeClass::signed_ ||
           one.cls == isa::TypeClass::unsigned_;
  };
  int most = 0;
  for (const u16 word : words) {
    const isa::Type named = isa::find_type(isa::word_text(word));
    if (named == isa::Type::none || named == type) continue;
    const isa::TypeInfo& want = isa::type_info(named);
    most = std::max(most, want.bits != have.bits               ? kStrangest
                          : is_whole(want) && is_whole(have)   ? 0
                          : want.cls == isa::TypeClass::packed ? 2
                                                               : 1);
  }
  return most;
}

/// The words that `mnemonic` may lack and with which the operands match; all possible words when
/// the operands match with none.
std::vector<u16> BodyChecker::fitting(const syntax::Instruction& written, const Mnemonic& mnemonic,
                                      const std::vector<u16>& wanted) {
  std::vector<u16> found;
  for (const u16 word : wanted) {
    std::vector<u16> words = mnemonic.words;
    words.push_back(word);
    if (std::ranges::any_of(isa::match(mnemonic.opcode, words).candidates,
                            [&](const isa::Candidate& one) { return operands_fit(written, one); }))
      found.push_back(word);
  }
  if (found.empty()) return wanted;
  return in_order(found, [&](u16 word) { return strangeness(written, std::span(&word, 1)); });
}

/// Adds a help with the nearest legal forms, preferably forms that version and target admit.
void BodyChecker::help_with_forms(const syntax::Instruction& written, const Mnemonic& mnemonic,
                                  diag::Diagnostic& diagnostic) {
  std::vector<isa::Nearest> all =
      isa::nearest(mnemonic.opcode, mnemonic.words,
                   [&](const isa::Candidate& one) { return operands_fit(written, one); });
  const auto is_open = [&](const isa::Nearest& near) { return !module_.refused(near.candidate); };
  if (std::ranges::any_of(all, is_open)) std::erase_if(all, std::not_fn(is_open));
  all = in_order(all, [&](const isa::Nearest& near) { return strangeness(written, near.added); });
  constexpr std::size_t kMost = 3;
  std::vector<const isa::Form*> shown;
  for (const isa::Nearest& near : all) {
    const isa::Form* form = near.candidate.form;
    if (shown.size() == kMost || std::ranges::find(shown, form) != shown.end()) continue;
    diagnostic.help(fmt::format("{} {} ({})", shown.empty() ? "the nearest form is" : "or",
                                isa::spell(*form, near.candidate.slot_values()),
                                change(near, mnemonic, text(written.mnemonic))));
    shown.push_back(form);
  }
}

void BodyChecker::report_mismatch(const syntax::Instruction& written, const Mnemonic& mnemonic) {
  const Mismatch& mismatch = *mnemonic.match.mismatch;
  diag::Report& report = module_.report_;
  const auto span_of = [&](int word) {
    // Blanks between modifiers move them; then the whole mnemonic is the best span.
    const std::string_view whole = text(written.mnemonic);
    if (word < 0 || written.mnemonic_span.end - written.mnemonic_span.begin != whole.size())
      return written.mnemonic_span;
    const auto [at, length] = mnemonic.word_at[static_cast<std::size_t>(word)];
    return Span{written.mnemonic_span.begin + at, written.mnemonic_span.begin + at + length};
  };
  const auto word_at = [&](int word) {
    const auto [at, length] = mnemonic.word_at[static_cast<std::size_t>(word)];
    return text(written.mnemonic).substr(at, length);
  };
  const auto forms = [&](diag::Diagnostic& diagnostic) {
    help_with_forms(written, mnemonic, diagnostic);
  };
  const auto ask_or_show_forms = [&](diag::Diagnostic& diagnostic, std::string_view word) {
    const std::string question = like_a_modifier(mnemonic.opcode, word.substr(1), true);
    diagnostic.ask(question);
    if (question.empty()) forms(diagnostic);
  };
  switch (mismatch.reason) {
    case Mismatch::Reason::unknown_opcode: {
      auto& diagnostic =
          report.add(Kind::unknown_instruction,
                     Span{written.mnemonic_span.begin,
                          written.mnemonic_span.begin + static_cast<u32>(mnemonic.opcode.size())},
                     mnemonic.opcode);
      Spelling spelling(mnemonic.opcode, true);
      for (const std::string_view opcode : isa::opcodes()) spelling.consider(opcode);
      diagnostic.ask(spelling.question());
      const bool alone = mnemonic.words.empty() && written.operands.count == 1;
      const Expr* operand =
          alone ? &tree_[tree_.expr_lists[written.operands.first]] : nullptr;  // `L1 ret;`
      if (operand && operand->kind == ExprKind::name &&
          !isa::forms_of(text(operand->name_id)).empty())
        diagnostic.help(fmt::format("a colon follows a label: {}:", mnemonic.opcode));
      return;
    }
    case Mismatch::Reason::unknown_modifier: {
      const std::string_view word = word_at(mismatch.word);
      auto& diagnostic = report.add(Kind::unknown_modifier, span_of(mismatch.word), word);
      if (const std::string type = about_foreign_type(word.substr(1)); !type.empty()) {
        diagnostic.help(type);
        diagnostic.ask(like_a_modifier(mnemonic.opcode, word.substr(1), false));
        return;
      }
      ask_or_show_forms(diagnostic, word);
      return;
    }
    case Mismatch::Reason::not_of_opcode: {
      const std::string_view word = word_at(mismatch.word);
      auto& diagnostic =
          report.add(Kind::modifier_not_of_opcode, span_of(mismatch.word), mnemonic.opcode, word);
      // A modifier of other instructions was probably intended as written; `.b3` was probably not.
      if (syntax::looks_like_type(word.substr(1)))
        ask_or_show_forms(diagnostic, word);
      else
        forms(diagnostic);
      return;
    }
    case Mismatch::Reason::not_with_others: {
      const int other = conflicting_word(mnemonic.opcode, mnemonic.words, mismatch.word);
      forms(report.add(Kind::modifier_conflict, span_of(mismatch.word), word_at(mismatch.word),
                       other < 0 ? "the other modifiers" : fmt::format("'{}'", word_at(other))));
      return;
    }
    case Mismatch::Reason::misplaced:
      report.add(Kind::misplaced_modifier, span_of(mismatch.word), word_at(mismatch.word),
                 word_at(mismatch.word - 1));
      return;
    case Mismatch::Reason::repeated:
      forms(report.add(Kind::repeated_modifier, span_of(mismatch.word), word_at(mismatch.word)));
      return;
    case Mismatch::Reason::type: {
      auto& diagnostic = report.add(Kind::wrong_instruction_type, span_of(mismatch.word),
                                    mnemonic.opcode, word_at(mismatch.word));
      forms(diagnostic);
      return;
    }
    case Mismatch::Reason::missing: {
      std::string choices;
      constexpr std::size_t kShown = 6;
      const std::vector<u16> wanted = fitting(written, mnemonic, mismatch.wanted);
      for (std::size_t i = 0; i < std::min(wanted.size(), kShown); ++i) {
        choices += fmt::format("{}.{}", i ? ", " : "", isa::word_text(wanted[i]));
      }
      if (wanted.size() > kShown) choices += ", ...";
      auto& diagnostic =
          report.add(Kind::missing_modifier, written.mnemonic_span, mnemonic.opcode, choices);
      if (const std::string_view why = about_choice(wanted); !why.empty())
        diagnostic.note(std::string(why));
      forms(diagnostic);
      return;
    }
    case Mismatch::Reason::combination:
      forms(report.add(Kind::modifier_combination, written.mnemonic_span, text(written.mnemonic)));
      return;
    case Mismatch::Reason::rule:
      report.add(Kind::instruction_rule, written.mnemonic_span, mnemonic.opcode,
                 mismatch.rule && !mismatch.rule->message.empty()
                     ? mismatch.rule->message
                     : "these modifiers exclude each other");
      return;
  }
}

/// Reports a missing operand when there are too few: the operand without which the written ones
/// match, otherwise the last.
bool BodyChecker::too_few(const syntax::Instruction& written, const isa::Candidate& candidate,
                          const Plan& plan, diag::Report& report) {
  const std::vector<const isa::OperandSpec*>& needed = plan.needed;
  const u32 count = written.operands.count;
  for (u32 i = 0; i < count; ++i)
    if (is_element_of_register(tree_.expr_lists[written.operands.first + i])) return false;
  std::size_t missing = count;
  for (std::size_t i = needed.size(); i-- > 0 && count + 1 == needed.size();) {
    const std::size_t before = f_.operands.size();
    left_out_ = needed[i];
    trial_.restart();
    const bool fit = bind(written, candidate, plan, trial_);
    left_out_ = nullptr;
    f_.operands.resize(before);
    if (!fit) continue;
    missing = i;
    break;
  }
  const Span behind = missing ? tree_[tree_.expr_lists[written.operands.first + missing - 1]].span
                              : written.mnemonic_span;
  report.add(Kind::missing_operand, Span{behind.end - 1, behind.end}, needed[missing]->name)
      .help(fmt::format("the form is {}", isa::spell(*candidate.form, candidate.slot_values())));
  return true;
}

}  // namespace heddle::check
