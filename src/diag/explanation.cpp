// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "diag/explanation.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace heddle::diag {
namespace {

constexpr Explanation kExplanations[] = {
#include "diag/explanations.inc"
};

}  // namespace

const Explanation& explanation(Kind kind) { return kExplanations[static_cast<std::size_t>(kind)]; }

std::string title(Kind kind) {
  const std::string_view message = info(kind).message;
  std::string text;
  bool words = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool doubled = i + 1 < message.size() && message[i + 1] == message[i];
    if (message[i] == '{' && !doubled) {
      if (text.ends_with('.')) text.pop_back();  // the dot of a type or modifier
      text += "...";
      i = message.find('}', i);
      continue;
    }
    if (message[i] == '{' || message[i] == '}') ++i;  // the second of `{{` or `}}`
    text += message[i];
    words |= std::isalpha(static_cast<unsigned char>(message[i])) != 0;
  }
  if (words) return text;
  text = info(kind).name;  // each diagnostic of this kind has its own text
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::optional<Kind> find_kind(std::string_view code) {
  const auto same = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  for (std::size_t i = 0; i < std::size(kExplanations); ++i) {
    const Kind kind = static_cast<Kind>(i);
    if (std::equal(code.begin(), code.end(), info(kind).code.begin(), info(kind).code.end(), same))
      return kind;
  }
  return std::nullopt;
}

}  // namespace heddle::diag
