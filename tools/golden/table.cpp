// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.h"

#include <fmt/format.h>

namespace heddle::golden {
namespace {

/// Appends all choices of `rest` to `before`.
bool expand(std::string_view rest, const Choice& before, std::vector<Choice>& all) {
  const auto open = rest.find('{');
  if (open == std::string_view::npos) {
    Choice one = before;
    one.text = one.in(one.text.append(rest));
    all.push_back(std::move(one));
    return true;
  }
  const auto close = rest.find('}', open);
  if (close == std::string_view::npos) return false;
  std::string_view alternatives = rest.substr(open + 1, close - open - 1);
  std::string_view key;
  if (const auto colon = alternatives.find(':'); colon != std::string_view::npos) {
    key = alternatives.substr(0, colon);
    alternatives.remove_prefix(colon + 1);
  }
  for (const std::string_view word : split(alternatives, '|')) {
    Choice one = before;
    one.text.append(rest.substr(0, open)).append(word);
    if (!key.empty()) one.named.insert_or_assign(std::string(key), std::string(word));
    if (!expand(rest.substr(close + 1), one, all)) return false;
  }
  return true;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string read_lines(std::string_view text,
                       const std::function<std::string(std::string_view)>& read) {
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (const std::string wrong = read(line); !wrong.empty())
      return fmt::format("line {}: {}", number, wrong);
  }
  return {};
}

std::string Choice::in(std::string_view other) const {
  std::string result(other);
  for (const auto& [key, word] : named) result = replaced(result, "<" + key + ">", word);
  return result;
}

std::optional<std::vector<Choice>> choices_of(std::string_view text) {
  std::vector<Choice> all;
  if (!expand(text, {}, all)) return {};
  return all;
}

}  // namespace heddle::golden
