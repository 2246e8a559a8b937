// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/check.h"

namespace heddle::bench {
namespace {

constexpr int kPatience = 300'000;  // ms

}  // namespace

Child::Child(std::string engine, int threads, bool little, bool traces)
    : engine_(std::move(engine)), threads_(threads), little_(little) {
  if (traces) trace_ = memfd_create("trace", MFD_CLOEXEC);
}

void Child::start() {
  int commands[2], answers[2];
  HEDDLE_CHECK(pipe2(commands, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0);
  const std::string threads = std::to_string(threads_);
  pid_ = fork();
  HEDDLE_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    dup2(commands[0], STDIN_FILENO);
    dup2(answers[1], STDOUT_FILENO);
    setenv("HEDDLE_ENGINE", engine_ == "jit" ? "jit" : "interp", 1);
    setenv("HEDDLE_THREADS", threads.c_str(), 1);
    setenv("POCL_MAX_PTHREAD_COUNT", threads.c_str(), 1);
    if (trace_ >= 0) {
      setenv("HEDDLE_TRACE", "launch", 1);
      dup2(trace_, STDERR_FILENO);
    }
    execl("/proc/self/exe", "heddle_jobs_bench", "--serve", engine_.c_str(), "--threads",
          threads.c_str(), little_ ? "--little" : nullptr, nullptr);
    _exit(127);
  }
  close(commands[0]), close(answers[1]);
  to_ = commands[1], from_ = answers[0];
}

// Ends the process; returns its status of waitpid().
int Child::end() {
  if (pid_ < 0) return 0;
  close(to_), close(from_);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return status;
}

Answer Child::ask(const std::string& command) {
  if (pid_ < 0) start();
  const std::string line = command + "\n";
  (void)!write(to_, line.data(), line.size());  // a dead child is detected below
  std::string text;
  while (text.empty() || text.back() != '\n') {
    pollfd ready{from_, POLLIN, 0};
    if (poll(&ready, 1, kPatience) == 0) {
      kill(pid_, SIGKILL);
      end();
      return {false, 0, "no answer"};
    }
    char some[256];
    const ssize_t count = read(from_, some, sizeof some);
    if (count <= 0) {
      const int status = end();
      return {false, 0, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended"};
    }
    text.append(some, count);
  }
  text.pop_back();
  if (text.starts_with("ok ")) return {true, std::atof(text.c_str() + 3), ""};
  end();  // after a failure the context may be unusable
  return {false, 0, text.substr(3)};
}

std::string Child::engine_of_launches() {
  std::string text(lseek(trace_, 0, SEEK_CUR), '\0');
  const ssize_t got = pread(trace_, text.data(), text.size(), 0);
  HEDDLE_CHECK(got == static_cast<ssize_t>(text.size()) && ftruncate(trace_, 0) == 0);
  lseek(trace_, 0, SEEK_SET);
  std::istringstream lines(text);
  std::string engine, line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("heddle: launch: ")) continue;
    const std::string last = line.substr(line.rfind(' ') + 1);
    if (!engine.empty() && engine != last) return "";
    engine = last;
  }
  return engine;
}

}  // namespace heddle::bench
