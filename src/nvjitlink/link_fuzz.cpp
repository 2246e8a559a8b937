// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link takes any options, types and bytes, and says why it refuses some. The input: options and
// inputs, one a line; a line that begins with a digit is an input of that type.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "nvjitlink/link.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using heddle::nvjitlink::Link;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> options{"-arch=sm_90"}, inputs;
  while (!rest.empty()) {
    const std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const bool is_input = !line.empty() && line[0] >= '0' && line[0] <= '9';
    (is_input ? inputs : options).push_back(line);
  }
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  Link link;
  const bool good = link.create(words) == NVJITLINK_SUCCESS;
  HEDDLE_CHECK(good == link.errors().empty());
  for (const std::string& input : inputs)
    (void)link.add(static_cast<nvJitLinkInputType>(input[0] - '0'), input.substr(1), "fuzz");
  std::string cubin;
  HEDDLE_CHECK((link.complete() == NVJITLINK_SUCCESS) == (link.cubin(cubin) == NVJITLINK_SUCCESS));
  return 0;
}
