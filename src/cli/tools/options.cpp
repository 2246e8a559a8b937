// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See options.h. The words of the messages are the vendor's: build systems and people know them.
#include "cli/tools/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.h"

namespace heddle::cli {
namespace {

/// The names of all tools, which every table shares.
constexpr std::string_view kOptionsFile = "options-file";

/// An options file may name another one.
constexpr int kMostFiles = 16;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (end) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// The words of an options file: blanks separate them, except in quotation marks.
std::vector<std::string> words_of_file(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      if (!word) word.emplace();
    } else if (!quote && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else {
      if (c == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
      if (!word) word.emplace();
      *word += text[i];
    }
  }
  if (word) words.push_back(*word);
  return words;
}

bool may_be_joined(Takes takes) {
  return takes == Takes::number || takes == Takes::level || takes == Takes::joined;
}
bool is_list(Takes takes) { return takes == Takes::list || takes == Takes::joined; }

/// A word that begins with a dash: an option, and the value that it has in the same word.
struct Split {
  const ToolOption* option;
  std::optional<std::string> value;
};

Result<Split> split_word(const Tool& tool, std::string_view word) {
  const bool is_long = word.starts_with("--");
  const std::string_view body = word.substr(is_long ? 2 : 1);
  const auto equals = body.find('=');
  const std::string_view name = body.substr(0, equals);
  const auto found =
      std::ranges::find(tool.options, name, is_long ? &ToolOption::name : &ToolOption::short_name);
  if (found != tool.options.end()) {
    if (equals == std::string_view::npos) return Split{&*found, std::nullopt};
    return Split{&*found, std::string(body.substr(equals + 1))};
  }
  for (const ToolOption& option : tool.options) {
    if (!is_long && may_be_joined(option.takes) && body.starts_with(option.short_name))
      return Split{&option, std::string(body.substr(option.short_name.size()))};
  }
  return Error{fmt::format("Unknown option '{}{}'", is_long ? "-" : "", name)};
}

class OptionReader {
 public:
  explicit OptionReader(const Tool& tool) : tool_(tool) {}

  /// Reads words; the answer is an error's sentence, or empty.
  std::string read(std::span<const std::string> words, int depth = 0) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.size() < 2 || word[0] != '-') {
        given.inputs.push_back(word);
        continue;
      }
      auto split = split_word(tool_, word);
      if (!split.ok()) return split.error().message;
      const ToolOption& option = *split->option;
      if (option.takes == Takes::nothing) {
        if (split->value)
          return fmt::format("no argument expected after '{}'", word.substr(0, word.find('=')));
        given.options[option.name];
        continue;
      }
      if (!split->value && option.takes == Takes::level && !word.starts_with("--")) {
        given.options[option.name];
        continue;
      }
      if (!split->value) {
        if (i + 1 == words.size()) return fmt::format("argument expected after '{}'", word);
        split->value = words[++i];
      }
      if (std::string why = take(option, *split->value, depth); !why.empty()) return why;
    }
    return {};
  }

  Given given;

 private:
  std::string take(const ToolOption& option, const std::string& value, int depth) {
    if (option.name == kOptionsFile) return read_files(value, depth);
    const auto allowed = split(option.allowed, " ");
    const auto values = is_list(option.takes) ? split(value, ",") : std::vector{value};
    auto& all = given.options[option.name];
    for (const std::string& one : values) {
      if (std::string why = refuse(option, one, allowed); !why.empty()) return why;
      const bool once = !is_list(option.takes) && option.takes != Takes::text;
      if (once && !all.empty() && all.back() != one)
        given.warnings.push_back(
            fmt::format("incompatible redefinition for option '{}', the last value of this option "
                        "was used",
                        option.name));
      all.push_back(one);
    }
    return {};
  }

  static std::string refuse(const ToolOption& option, const std::string& value,
                            const std::vector<std::string>& allowed) {
    if (option.takes == Takes::boolean && value != "true" && value != "false")
      return fmt::format("'{}': expected true or false", value);
    const bool counts = option.takes == Takes::number || option.takes == Takes::level;
    if (counts && !is_number(value)) return fmt::format("'{}': expected a number", value);
    if (!allowed.empty() && std::ranges::find(allowed, value) == allowed.end())
      return fmt::format("Value '{}' is not defined for option '{}'", value, option.name);
    return {};
  }

  std::string read_files(const std::string& list, int depth) {
    for (const std::string& path : split(list, ",")) {
      const auto text = read_file(path);
      if (!text.ok()) return fmt::format("Could not open options file '{}'", path);
      if (depth == kMostFiles) return fmt::format("Options file '{}' is nested too deep", path);
      if (std::string why = read(words_of_file(*text), depth + 1); !why.empty()) return why;
    }
    return {};
  }

  const Tool& tool_;
};

/// "--name <value>  (-short)".
std::string spelling_of(const ToolOption& option) {
  return fmt::format("--{}{}  (-{})", option.name,
                     option.takes == Takes::nothing ? "" : fmt::format(" <{}>", option.value),
                     option.short_name);
}

}  // namespace

std::string Given::value(std::string_view name, std::string_view otherwise) const {
  const auto found = options.find(name);
  return std::string(found == options.end() || found->second.empty() ? otherwise
                                                                     : found->second.back());
}

std::vector<std::string> Given::values(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::vector<std::string>() : found->second;
}

bool Given::is_on(std::string_view name, bool otherwise) const {
  return value(name, otherwise ? "true" : "false") == "true";
}

Result<Given> parse_options(const Tool& tool, std::span<const std::string> words) {
  OptionReader reader(tool);
  if (std::string why = reader.read(words); !why.empty()) return Error{std::move(why)};
  return std::move(reader.given);
}

std::string help_of(const Tool& tool) {
  std::string text =
      fmt::format("{}\n\nUsage  : {}\n\nOptions\n=======\n\n", tool.title, tool.usage);
  std::string accepted;
  for (const ToolOption& option : tool.options) {
    if (option.meaning.empty()) {
      accepted += fmt::format("  {}\n", spelling_of(option));
      continue;
    }
    text += fmt::format("{}\n        {}\n", spelling_of(option), option.meaning);
    if (!option.allowed.empty()) text += fmt::format("        Values: {}\n", option.allowed);
  }
  return accepted.empty() ? text
                          : text +
                                "\nThese are accepted and change nothing, because Heddle's device "
                                "compiles the PTX itself:\n" +
                                accepted;
}

}  // namespace heddle::cli
