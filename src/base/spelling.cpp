// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/spelling.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::size_t kLongest = 64;  // longer names are not compared
constexpr std::size_t kMostShown = 3;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::size_t allowed_for(std::string_view name) {
  const bool sigil = !name.empty() && std::string_view("%$_").find(name[0]) != name.npos;
  const std::size_t letters = name.size() - sigil;
  return letters < 3 || name.size() > kLongest ? 0 : letters < 5 ? 1 : 2;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit || a.size() > kLongest || b.size() > kLongest) return limit + 1;
  std::size_t rows[3][kLongest + 1];  // of i - 2, i - 1 and i, in turn
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t* const now = rows[i % 3];
    const std::size_t* const before = rows[(i + 2) % 3];
    const std::size_t* const earlier = rows[(i + 1) % 3];
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({before[j - 1] + (a[i - 1] != b[j - 1]), before[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], earlier[j - 2] + 1);
      }
    }
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

Spelling::Spelling(std::string_view written, bool fixed)
    : written_(lower(written)),
      allowed_(allowed_for(written)),
      keep_first_(fixed && written.size() == 2) {
  if (keep_first_) allowed_ = 1;
}

void Spelling::consider(std::string_view name) {
  if (name.size() + allowed_ < written_.size() || name.size() > written_.size() + allowed_) return;
  if (keep_first_ && lower(name.substr(0, 1)) != written_.substr(0, 1)) return;
  const std::size_t distance = edit_distance(written_, lower(name), allowed_);
  if (distance > allowed_) return;
  if (distance < allowed_) nearest_.clear();
  allowed_ = distance;
  if (std::find(nearest_.begin(), nearest_.end(), name) == nearest_.end()) {
    nearest_.emplace_back(name);
  }
}

std::string Spelling::question(std::string_view prefix) const {
  std::string text;
  if (nearest_.size() > kMostShown) return text;
  for (std::size_t i = 0; i < nearest_.size(); ++i) {
    text += i == 0 ? "did you mean '" : i + 1 < nearest_.size() ? "', '" : "' or '";
    (text += prefix) += nearest_[i];
  }
  return text.empty() ? text : text + "'?";
}

std::string Spelling::question_or(std::string_view otherwise) const {
  std::string text = question();
  return text.empty() ? std::string(otherwise) : text;
}

}  // namespace heddle
