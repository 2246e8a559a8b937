// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace heddle::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

Error error_of(std::string_view verb, const std::string& path) {
  return {fmt::format("cannot {} {}: {}", verb, path, std::strerror(errno))};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const File opened(path == "-" ? nullptr : std::fopen(path.c_str(), "rb"));
  std::FILE* const file = path == "-" ? stdin : opened.get();
  if (!file) return error_of("open", path);
  std::string contents;
  char block[1 << 16];
  while (const std::size_t read = std::fread(block, 1, sizeof block, file))
    contents.append(block, read);
  if (std::ferror(file)) return error_of("read", path);
  return contents;
}

Result<bool> write_file(const std::string& path, std::string_view contents) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return error_of("open", path);
  if (std::fwrite(contents.data(), 1, contents.size(), file.get()) != contents.size())
    return error_of("write", path);
  if (std::fclose(file.release()) != 0) return error_of("write", path);
  return true;
}

Result<bool> replace_file(const std::string& path, std::string_view contents) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);  // not a link
  const auto permissions = std::filesystem::status(target, error).permissions();
  if (error) return Error{fmt::format("cannot write {}: {}", path, error.message())};
  const std::string beside = target.string() + ".heddle-new";
  auto written = write_file(beside, contents);
  if (!written.ok()) return written.error();
  std::filesystem::permissions(beside, permissions, error);
  if (!error) std::filesystem::rename(beside, target, error);
  if (!error) return true;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return Error{fmt::format("cannot write {}: {}", path, error.message())};
}

}  // namespace heddle::cli
