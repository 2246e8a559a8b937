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
  const auto status = std::filesystem::status(target, error);
  if (!error && !std::filesystem::is_regular_file(status))
    return Error{fmt::format("cannot write {} in place: it is no regular file", path)};
  if (error) return Error{fmt::format("cannot write {}: {}", path, error.message())};
  const std::string beside = target.string() + ".heddle-new";
  auto written = write_file(beside, contents);
  if (written.ok()) std::filesystem::permissions(beside, status.permissions(), error);
  if (written.ok() && !error) std::filesystem::rename(beside, target, error);
  if (written.ok() && !error) return true;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  if (!written.ok()) return written.error();
  return Error{fmt::format("cannot write {}: {}", path, error.message())};
}

}  // namespace heddle::cli
