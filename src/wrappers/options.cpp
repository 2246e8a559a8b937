// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See options.h.
#include "wrappers/options.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace heddle::wrappers {
namespace {

constexpr std::initializer_list<std::string_view> kArchitecture = {
    "-arch", "--arch", "-gpu-architecture", "--gpu-architecture"};
constexpr std::initializer_list<std::string_view> kMaxRegisters = {"-maxrregcount",
                                                                   "--maxrregcount"};
constexpr std::initializer_list<std::string_view> kLto = {"-dlto", "--dlto", "-dlink-time-opt",
                                                          "--dlink-time-opt"};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, word) != names.end();
}

/// A value in the options: it begins at `begin` of `*word`.
struct Value {
  std::string* word = nullptr;
  std::size_t begin = 0;
};

/// The value of the option at `i`, behind '=' (-arch=sm_90) or the next word (-arch sm_90). None:
/// this is another option, or it has no value.
Value value_of(std::vector<std::string>& words, std::size_t i,
               std::initializer_list<std::string_view> names) {
  std::string& word = words[i];
  const auto equals = word.find('=');
  if (!is_one_of(std::string_view(word).substr(0, equals), names)) return {};
  if (equals != word.npos) return {&word, equals + 1};
  return i + 1 < words.size() ? Value{&words[i + 1], 0} : Value{};
}

}  // namespace

Options make_virtual(std::vector<std::string> words) {
  Options options{std::move(words)};
  for (std::size_t i = 0; i < options.words.size(); ++i) {
    if (is_one_of(options.words[i], kLto)) {
      options.words[i] = "-rdc=true";
      options.asked = Asked::lto_ir;
    }
    const Value architecture = value_of(options.words, i, kArchitecture);
    if (architecture.word && architecture.word->compare(architecture.begin, 3, "sm_") == 0) {
      architecture.word->replace(architecture.begin, 3, "compute_");
      if (options.asked == Asked::ptx) options.asked = Asked::machine_code;
    }
    const Value most = value_of(options.words, i, kMaxRegisters);
    if (most.word)
      options.max_registers =
          static_cast<u32>(std::strtoul(most.word->c_str() + most.begin, nullptr, 10));
  }
  return options;
}

}  // namespace heddle::wrappers
