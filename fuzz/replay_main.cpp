// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces libFuzzer in builds without it: runs a fuzz target once on the empty input and on every
// file, or file of a folder, on the command line. So each input that once failed is a regression
// test in every build, with any compiler.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs_of(int argc, char** argv) {
  std::vector<fs::path> inputs;
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    if (!fs::is_directory(argv[i], error)) {
      if (fs::exists(argv[i], error)) inputs.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argv[i], error)) {
      if (entry.is_regular_file()) inputs.push_back(entry.path());
    }
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(""), 0);
  const auto inputs = inputs_of(argc, argv);
  for (const auto& path : inputs) {
    // The input's name is printed before the run, so that a crash shows it.
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs and the empty one: ok\n", inputs.size());
  return 0;
}
