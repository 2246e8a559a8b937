// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "litmus.h"

namespace heddle::litmus {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

bool parse_number(std::string_view text, u64& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Parses "r0=1 r1!=0"; empty when the text is not an outcome.
Outcome parse_outcome(const std::string& text) {
  Outcome outcome;
  for (const std::string& word : words_of(text)) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0) return {};
    const bool equal = word[sign - 1] != '!';
    Condition one{word.substr(0, equal ? sign : sign - 1), equal, 0};
    if (!parse_number(std::string_view(word).substr(sign + 1), one.value)) return {};
    outcome.push_back(one);
  }
  return outcome;
}

/// Parses one line below `test`. False: a syntax error.
bool parse_line(Test& test, const std::string& line) {
  if (line[0] == '|') {
    std::istringstream cells(line.substr(1));
    std::size_t thread = 0;
    for (std::string cell; std::getline(cells, cell, '|'); ++thread) {
      if (thread == test.threads.size()) test.threads.emplace_back();
      if (!trim(cell).empty()) test.threads[thread].push_back(trim(cell));
    }
    return true;
  }
  const std::size_t end = line.find(' ');
  if (end == std::string::npos) return false;
  const std::string key = line.substr(0, end), rest = trim(line.substr(end));
  const std::vector<std::string> words = words_of(rest);
  if (key == "forbidden" || key == "weak" || key == "only") {
    auto& list = key == "forbidden" ? test.forbidden : key == "weak" ? test.weak : test.only;
    list.push_back(parse_outcome(rest));
    return !list.back().empty();
  }
  if (key == "for" && words.size() > 2 && words[1] == "in") {
    test.choices.push_back({words[0], {words.begin() + 2, words.end()}});
  } else if (key == "where") {
    test.places = words;
  } else if (key == "space") {
    test.spaces = words;
  } else if (key == "scope") {
    test.scopes = words;
  } else if (key == "slot") {
    u64 bytes = 0;
    if (!parse_number(rest, bytes)) return false;
    test.slot = static_cast<u32>(bytes);
  } else if (key == "barrier" && words.size() == 2) {
    u64 count = 0;
    if (!parse_number(words[1], count)) return false;
    test.barriers[words[0]] = static_cast<u32>(count);
    test.slot = 8;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Test>> read_tests(const std::string& path) {
  std::ifstream in(path);
  if (!in) return Error{fmt::format("{} cannot be read", path)};
  std::vector<Test> tests;
  std::string text;
  for (u32 number = 1; std::getline(in, text); ++number) {
    const std::string line = trim(text.substr(0, text.find('#')));
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    if (line.starts_with("test ")) {
      const std::string rest = trim(line.substr(5));
      const std::size_t end = rest.find(' ');
      Test test;
      test.where = where;
      test.name = rest.substr(0, end);
      test.title = end == std::string::npos ? "" : trim(rest.substr(end));
      tests.push_back(test);
    } else if (tests.empty() || !parse_line(tests.back(), line)) {
      return Error{fmt::format("{}: not understood: {}", where, line)};
    }
  }
  for (const Test& test : tests) {
    if (test.forbidden.empty() && test.only.empty())
      return Error{fmt::format("{}: {} forbids nothing", test.where, test.name)};
  }
  return tests;
}

bool holds(const Outcome& outcome, const std::vector<std::string>& names,
           const std::vector<u64>& values) {
  for (const Condition& one : outcome) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == one.name && (values[i] == one.value) != one.equal) return false;
    }
  }
  return true;
}

std::string print(const Outcome& outcome) {
  std::string text;
  for (const Condition& one : outcome) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", one.name,
                        one.equal ? "=" : "!=", one.value);
  }
  return text;
}

}  // namespace heddle::litmus
