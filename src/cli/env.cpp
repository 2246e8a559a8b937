// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle env: Heddle's environment variables, from the table in base/config.cpp.
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/spelling.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace heddle::cli {
namespace {

enum class Source : u8 { fallback, environment, wrong };

struct Setting {
  const Variable& variable;
  std::string text;  ///< the variable's text in the environment
  Source source;

  /// The value that Heddle uses.
  std::string_view value() const {
    if (source == Source::environment) return text;
    if (source == Source::wrong && !variable.otherwise.empty()) return variable.otherwise;
    return variable.fallback;
  }
};

bool is_right(const Variable& variable, const char* text) {
  Config config;
  if (!variable.read(text, config)) return false;
  return config.device.empty() || machine::find_profile(config.device);
}

Setting setting_of(const Variable& variable) {
  const char* const text = text_of(variable);
  if (!text || !*text) return {variable, "", Source::fallback};
  return {variable, text, is_right(variable, text) ? Source::environment : Source::wrong};
}

/// Variables of the environment whose names begin with HEDDLE_ and that are not in the table.
std::vector<std::string> unknown_variables() {
  constexpr std::string_view kPrefix = "HEDDLE_";
  std::vector<std::string> unknown;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view pair = *entry, name = pair.substr(0, pair.find('='));
    const auto is_it = [&](const Variable& variable) { return variable.name == name; };
    if (name.starts_with(kPrefix) && std::ranges::none_of(variables(), is_it))
      unknown.emplace_back(name);
  }
  std::ranges::sort(unknown);
  return unknown;
}

void print_text(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    const Variable& variable = setting.variable;
    print("{}: {} ", variable.name, setting.value());
    if (setting.source == Source::fallback)
      print("(the default)\n");
    else if (setting.source == Source::environment)
      print("(from the environment; the default is {})\n", variable.fallback);
    else
      print("(the environment has the wrong value {})\n", setting.text);
    print("    {}\n    It is {}. For {}.\n", variable.meaning, variable.values, variable.readers);
  }
}

void print_json(const std::vector<Setting>& settings) {
  auto list = nlohmann::ordered_json::array();
  for (const Setting& setting : settings) {
    auto& entry = list.emplace_back();
    entry["name"] = setting.variable.name;
    entry["value"] = setting.value();
    entry["source"] = setting.source == Source::environment ? "environment" : "default";
    if (setting.source == Source::wrong) entry["wrong_value"] = setting.text;
    entry["default"] = setting.variable.fallback;
    entry["values"] = setting.variable.values;
    entry["meaning"] = setting.variable.meaning;
    entry["readers"] = setting.variable.readers;
  }
  // A value need not be UTF-8.
  print("{}\n", list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

int list_environment(const EnvOptions& options) {
  std::vector<Setting> settings;
  for (const Variable& variable : variables()) settings.push_back(setting_of(variable));
  options.format == "json" ? print_json(settings) : print_text(settings);
  for (const std::string& name : unknown_variables()) {
    Spelling spelling(name);
    for (const Variable& variable : variables()) spelling.consider(variable.name);
    say("heddle: {} is not a variable of Heddle; {}\n", name,
        spelling.question_or("`heddle env` lists the variables"));
  }
  const auto is_wrong = [](const Setting& setting) { return setting.source == Source::wrong; };
  return std::ranges::any_of(settings, is_wrong) ? kUsage : kOk;
}

}  // namespace heddle::cli
