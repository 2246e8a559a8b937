// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzz target: command lines of the tools. NULs separate the words.
#include "base/check.h"
#include "cli/tools/tool.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace heddle::cli;
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i]) {
      words.back() += static_cast<char>(data[i]);
    } else {
      words.emplace_back();
    }
  }
  // A file that it names would be read.
  std::erase_if(words, [](const std::string& word) {
    return word.starts_with("-optf") || word.starts_with("--options-file");
  });
  for (const RunnableTool& tool : tools()) {
    const auto given = parse_options(*tool.tool, words);
    HEDDLE_CHECK(given.ok() || !given.error().message.empty());
  }
  return 0;
}
