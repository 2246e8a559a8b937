// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The preprocessor runs as a child process without a shell. Its standard input, output and error
// are memory files, so nothing can block, and no signal handler of the program is called.
#include "syntax/preprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "syntax/binary.h"

extern char** environ;

namespace heddle::syntax {
namespace {

/// A file descriptor that is closed at the end of its scope.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ > 2) close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

struct Outcome {
  bool found = false;  ///< the program exists and was started
  bool good = false;   ///< it ended with status 0
  std::string output;
  std::string messages;
};

/// Limits the child's time and memory: an included file may be endless, and nested macros may grow
/// exponentially.
void limit(pid_t child) {
  constexpr rlim_t kSeconds = 30, kMemory = rlim_t{1} << 30;
  const std::pair<__rlimit_resource, rlim_t> limits[] = {
      {RLIMIT_CPU, kSeconds}, {RLIMIT_AS, kMemory}, {RLIMIT_FSIZE, kMostOfStream}};
  for (const auto& [resource, most] : limits) {
    rlimit now{};
    if (prlimit(child, resource, nullptr, &now) != 0) continue;
    now.rlim_cur = std::min(now.rlim_cur, most);
    prlimit(child, resource, &now, nullptr);
  }
}

/// Runs `arguments` with `input`; the error names the failed operation of the host.
Result<Outcome> run(const std::vector<std::string>& arguments, std::string_view input) {
  const Fd in(memfd_create("heddle-cpp-in", MFD_CLOEXEC));
  const Fd out(memfd_create("heddle-cpp-out", MFD_CLOEXEC));
  const Fd messages(memfd_create("heddle-cpp-messages", MFD_CLOEXEC));
  if (in.get() < 0 || out.get() < 0 || messages.get() < 0 || !write_all(in.get(), input) ||
      lseek(in.get(), 0, SEEK_SET) != 0) {
    return Error{fmt::format("no memory for the C preprocessor: {}", std::strerror(errno))};
  }

  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, messages.get(), 2);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);

  Outcome outcome;
  if (failure == ENOENT) return outcome;
  if (failure) return Error{fmt::format("{} does not start: {}", argv[0], std::strerror(failure))};
  outcome.found = true;
  limit(child);  // early enough: the child first has to load its libraries
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Error{fmt::format("lost {}: {}", argv[0], std::strerror(errno))};
  }
  outcome.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  lseek(out.get(), 0, SEEK_SET);
  lseek(messages.get(), 0, SEEK_SET);
  for (const auto& [file, text] :
       {std::pair(&out, &outcome.output), {&messages, &outcome.messages}}) {
    auto written = read_rest(file->get(), kMostText);
    if (!written.ok())
      return Error{fmt::format("cannot read what {} wrote: {}", argv[0], written.error().message)};
    *text = std::move(*written);
  }
  return outcome;
}

bool is_directive_line(std::string_view after_hash) {
  while (!after_hash.empty() && (after_hash[0] == ' ' || after_hash[0] == '\t')) {
    after_hash.remove_prefix(1);
  }
  for (const std::string_view word : {"include", "define", "undef", "if", "else", "elif", "endif",
                                      "error", "warning", "import"}) {
    if (after_hash.starts_with(word)) return true;
  }
  return false;
}

}  // namespace

bool needs_preprocessing(std::string_view text) {
  for (std::size_t hash = text.find('#'); hash != text.npos; hash = text.find('#', hash + 1)) {
    const std::size_t before = text.substr(0, hash).find_last_not_of(" \t");
    const bool first = before == text.npos || text[before] == '\n';
    if (first && is_directive_line(text.substr(hash + 1))) return true;
  }
  return false;
}

Result<diag::Source> preprocess(diag::Source source) {
  if (!needs_preprocessing(source.text())) return source;
  const std::size_t slash = source.path().rfind('/');
  const std::string beside = slash == std::string::npos ? "." : source.path().substr(0, slash + 1);
  const bool quotable = source.path().find_first_of("\"\\\n") == std::string::npos;
  const std::string input =
      fmt::format("#line 1 \"{}\"\n{}", quotable ? source.path() : "<module>", source.text());
  const std::vector<std::string> programs[] = {
      {"cpp"}, {"gcc", "-E"}, {"clang", "-E"}, {"cc", "-E"}};
  for (std::vector<std::string> arguments : programs) {
    // The mode for assemblers: `//` comments, `%` and `$` pass, and no predefined macros.
    for (const char* argument : {"-x", "assembler-with-cpp", "-undef", "-iquote"}) {
      arguments.emplace_back(argument);
    }
    arguments.push_back(beside);
    arguments.emplace_back("-");
    Result<Outcome> outcome = run(arguments, input);
    if (!outcome) return outcome.error();
    if (!outcome->found) continue;
    if (!outcome->good) {
      return Error{
          fmt::format("{}: the C preprocessor ({}) says:\n{}", source.path(), arguments[0],
                      outcome->messages.empty()
                          ? "nothing: it was stopped, for what it made of the text had no end"
                          : outcome->messages)};
    }
    return diag::Source(source.path(), std::move(outcome->output));
  }
  return Error{fmt::format(
      "{}: uses the C preprocessor (#include, #define, #if), and none of cpp, gcc, clang, cc is "
      "on PATH",
      source.path())};
}

Result<std::string> load_text(const std::string& path) {
  auto text = read_input(path, kMostText);
  if (!text.ok()) return text;
  if (const std::string why = about_binary(*text, path); !why.empty())
    return Error{fmt::format("{} is {}", path == "-" ? "the standard input" : path, why)};
  return text;
}

}  // namespace heddle::syntax
