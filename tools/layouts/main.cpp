// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_layouts: makes the pictures of docs/matrices from the functions that run the instructions.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "pictures.h"

namespace {

constexpr const char* kUsage =
    R"(usage: heddle_layouts FOLDER            writes the pictures into FOLDER
       heddle_layouts FOLDER --check    exit status 1 when a picture there is out of date, or
                                        FOLDER.md does not show it
)";

using Texts = std::map<std::string, std::string>;  // by the name of the file

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Texts pictures() {
  using namespace heddle::layouts;
  Texts texts;
  for (const auto& some : {product_pictures(), sparse_pictures(), scale_pictures(), move_pictures(),
                           tensor_pictures()}) {
    for (const Picture& picture : some) texts[picture.name + ".svg"] = svg_of(picture);
  }
  return texts;
}

int check(const std::filesystem::path& folder, const Texts& texts) {
  const std::string page = read(folder.string() + ".md");
  int status = 0;
  const auto complain = [&](std::string_view name, std::string_view what) {
    fmt::print("{}/{}: {}\n", folder.string(), name, what);
    status = 1;
  };
  for (const auto& [name, text] : texts) {
    if (read(folder / name) != text) complain(name, "out of date, run heddle_layouts FOLDER");
    if (page.find(fmt::format("/{})", name)) == page.npos) complain(name, "not in the page");
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!texts.contains(name)) complain(name, "no such picture is made any more");
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const bool checks = argc == 3 && std::string_view(argv[2]) == "--check";
  if (argc != 2 && !checks) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const Texts texts = pictures();
  if (checks) return check(folder, texts);
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : texts) std::ofstream(folder / name, std::ios::binary) << text;
  return 0;
}
