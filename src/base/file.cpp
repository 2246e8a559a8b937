// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/huge_pages.h"

namespace heddle {

Result<std::string> read_rest(int file, u64 most) {
  struct stat about{};
  if (fstat(file, &about) != 0) return Error{std::strerror(errno)};
  const bool regular = S_ISREG(about.st_mode);
  if (!regular) most = std::min(most, kMostOfStream);
  const Error too_large{fmt::format("more than {} bytes", most)};
  std::string text;
  if (regular && about.st_size > 0) {
    if (static_cast<u64>(about.st_size) > most) return too_large;
    text.reserve(static_cast<std::size_t>(about.st_size));
    prefer_huge_pages(text.data(), text.capacity());
  }
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t done = read(file, buffer, sizeof buffer);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return Error{std::strerror(errno)};
    if (done == 0) return text;
    if (static_cast<u64>(done) > most - text.size()) return too_large;
    text.append(buffer, static_cast<std::size_t>(done));
  }
}

Result<std::string> read_file(const std::string& path, u64 most) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto text = file < 0 ? Result<std::string>(Error{std::strerror(errno)}) : read_rest(file, most);
  if (file >= 0) close(file);
  if (!text.ok()) return Error{fmt::format("cannot read {}: {}", path, text.error().message)};
  return text;
}

Result<std::string> read_input(const std::string& path, u64 most) {
  if (path != "-") return read_file(path, most);
  auto text = read_rest(STDIN_FILENO, most);
  if (!text.ok())
    return Error{fmt::format("cannot read the standard input: {}", text.error().message)};
  return text;
}

}  // namespace heddle
