// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals belong to the program: whatever it does with SIGSEGV and SIGBUS, a stray access of a
// kernel is the kernel's trap, and every other fault is the program's. Each case is a separate
// process, for both engines.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "client.h"

namespace {

constexpr const char* kKernels = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 out)
{
  .reg .u64 %a;
  ld.param.u64 %a, [out];
  st.global.u32 [%a], 42;
  ret;
}
// Waits for a word, then strays.
.visible .entry wait(.param .u64 word, .param .u64 out)
{
  .reg .u64 %a<2>; .reg .u32 %r; .reg .pred %p;
  ld.param.u64 %a0, [word];
  ld.param.u64 %a1, [out];
again:
  ld.volatile.global.u32 %r, [%a0];
  setp.eq.u32 %p, %r, 0;
  @%p bra again;
  st.global.u32 [%a1], 42;
  ret;
}
)";

/// Ends the process with a message unless `holds`.
void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(1);
}

/// A context with the kernels.
class Device {
 public:
  Device() {
    expect(!cuInit(0), "cuInit");
    renew();
  }
  /// Creates a new context after a trap.
  void renew() {
    expect(!cuCtxCreate_v2(&context_, 0, 0) && !cuModuleLoadData(&module_, kKernels) &&
               !cuMemAlloc_v2(&memory_, 4096) && !cuMemsetD8_v2(memory_, 0, 4096),
           "a context");
  }
  CUdeviceptr memory() const { return memory_; }
  CUdeviceptr stray() const { return memory_ + (64 << 20); }
  void start(const char* kernel, CUdeviceptr first, CUdeviceptr second = 0) const {
    CUfunction function = nullptr;
    void* params[] = {&first, &second};
    expect(!cuModuleGetFunction(&function, module_, kernel), "the kernel");
    expect(!cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr), "the launch");
  }
  void runs() const {
    expect(!cuCtxSetCurrent(context_), "the context");
    start("store", memory_);
    expect(!cuCtxSynchronize(), "a launch");
  }
  void traps() {
    start("store", stray());
    expect_trap();
  }
  void expect_trap() {
    expect(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS, "a stray access is a trap");
    expect(!cuCtxDestroy_v2(context_), "the end of the context");
    renew();
  }

 private:
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUdeviceptr memory_ = 0;
};

sigjmp_buf recover;
volatile int caught = 0, second_caught = 0;
struct sigaction old_action, second_old;

void jump(int) {
  caught = caught + 1;
  siglongjmp(recover, 1);
}
void jump_with_info(int, siginfo_t*, void*) { jump(0); }

using InfoHandler = void (*)(int, siginfo_t*, void*);

/// Installs the handler for both signals; `old`: the previous handler of SIGSEGV.
void install(InfoHandler handler, struct sigaction* old = nullptr, int flags = 0) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  sigaction(SIGBUS, &action, nullptr);
  sigaction(SIGSEGV, &action, old);
}

/// The program's own fault reaches the handler that jumps.
void own_fault_is_caught() {
  // Volatile, so that the compiler does not know the value.
  int* volatile nowhere = reinterpret_cast<int*>(16);
  const int before = caught;
  if (!sigsetjmp(recover, 1)) *nowhere = 1;
  expect(caught == before + 1, "the program catches its own fault");
}

void after_the_first_launch() {
  Device device;
  device.runs();
  install(jump_with_info);
  own_fault_is_caught();
  device.traps();
  own_fault_is_caught();
  device.runs();
}

void before_the_first_launch() {
  std::signal(SIGSEGV, jump);
  Device device;
  device.traps();
  own_fault_is_caught();
  device.traps();
}

void default_again() {
  Device device;
  for (int i = 0; i < 100; ++i) {
    device.runs();
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
  }
  device.traps();
}

void ignored() {
  Device device;
  std::signal(SIGSEGV, SIG_IGN);
  device.traps();
  std::raise(SIGSEGV);  // which is ignored
  device.traps();
}

void blocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  Device device;
  device.traps();
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  expect(sigismember(&now, SIGSEGV) && sigismember(&now, SIGBUS) && sigismember(&now, SIGINT),
         "the thread's mask stays as it was");
}

void chain(int signal, siginfo_t* info, void* context) {
  second_caught = second_caught + 1;
  if (second_old.sa_flags & SA_SIGINFO)
    second_old.sa_sigaction(signal, info, context);
  else if (second_old.sa_handler != SIG_DFL && second_old.sa_handler != SIG_IGN)
    second_old.sa_handler(signal);
  else
    _exit(3);
}

/// A handler that chains to the previous one, which is Heddle's, which chains to the first.
void handlers_that_go_on() {
  install(jump_with_info);
  Device device;
  device.runs();
  install(chain, &second_old);
  own_fault_is_caught();
  device.traps();  // Heddle's handlers come before and after `chain`
  second_caught = 0;
  own_fault_is_caught();
  expect(second_caught == 1, "each handler is called once");
  device.traps();
}

/// Handlers that are installed and removed in a scope, many times.
void handlers_of_scopes() {
  Device device;
  device.runs();
  for (int i = 0; i < 100; ++i) {
    install(jump_with_info, &old_action);
    own_fault_is_caught();
    device.runs();
    own_fault_is_caught();
    sigaction(SIGSEGV, &old_action, nullptr);
  }
  device.traps();
}

/// A handler that is installed repeatedly, also over Heddle's handler.
void the_same_handler_again() {
  Device device;
  for (int i = 0; i < 100; ++i) {
    install(chain, &second_old);
    device.runs();
  }
  device.traps();
  int* volatile nowhere = reinterpret_cast<int*>(16);
  *nowhere = 1;
}

/// The method of Python's faulthandler.
void report_and_put_back(int signal, siginfo_t*, void*) {
  constexpr char kLine[] = "the program crashed\n";
  if (write(STDERR_FILENO, kLine, sizeof kLine - 1) < 0) _exit(4);
  sigaction(signal, &old_action, nullptr);
  std::raise(signal);
}
void a_report_of_a_crash() {
  Device device;
  device.runs();
  install(report_and_put_back, &old_action, SA_NODEFER);
  device.traps();
  int* volatile nowhere = reinterpret_cast<int*>(16);
  *nowhere = 1;
}

void sent() {
  Device device;
  device.runs();
  std::raise(SIGSEGV);
  expect(false, "a signal that was sent ends the process");
}

void own_fault() {
  Device device;
  device.runs();
  int* volatile nowhere = reinterpret_cast<int*>(16);
  *nowhere = 1;
}

bool is_on(const stack_t& stack, const void* address) {
  const auto at = static_cast<const char*>(address), begin = static_cast<const char*>(stack.ss_sp);
  return at >= begin && at < begin + stack.ss_size;
}
stack_t alternate;
void jump_from_alternate(int, siginfo_t*, void*) {
  const int here = 0;
  expect(is_on(alternate, &here), "the handler runs on the alternate stack");
  jump(0);
}
void alternate_stack() {
  alternate.ss_size = 64 << 10;
  alternate.ss_sp = std::malloc(alternate.ss_size);
  sigaltstack(&alternate, nullptr);
  Device device;
  device.traps();
  install(jump_from_alternate, nullptr, SA_ONSTACK);
  device.traps();
  own_fault_is_caught();
  device.traps();
}

/// The handler runs with its requested mask, and runs once.
void look_at_mask(int, siginfo_t*, void*) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  expect(sigismember(&now, SIGSEGV) && sigismember(&now, SIGUSR1) && !sigismember(&now, SIGUSR2),
         "the mask of the handler");
  jump(0);
}
void masks_of_handlers() {
  struct sigaction action{};
  action.sa_sigaction = look_at_mask;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigaddset(&action.sa_mask, SIGUSR1);
  Device device;
  device.runs();
  sigaction(SIGSEGV, &action, nullptr);
  device.traps();
  own_fault_is_caught();
  device.traps();
  int* volatile nowhere = reinterpret_cast<int*>(16);
  *nowhere = 1;  // SA_RESETHAND: the handler is gone
}

/// The kernel runs on another thread while the handler is installed.
void while_a_kernel_runs() {
  Device device;
  device.start("wait", device.memory(), device.stray());
  usleep(100'000);
  install(jump_with_info);
  usleep(300'000);
  *reinterpret_cast<volatile unsigned*>(device.memory()) = 1;
  device.expect_trap();
  own_fault_is_caught();
}

void other_threads_are_quiet() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  Device device;
  std::thread([&] { device.runs(); }).join();
}

struct Case {
  const char* name;
  void (*run)();
  int signal;  ///< the signal that ends the process; 0: it exits with 0
  const char* says;
};
const Case kCases[] = {
    {"HandlerAfterTheFirstLaunch", after_the_first_launch, 0, ""},
    {"HandlerBeforeTheFirstLaunch", before_the_first_launch, 0, ""},
    {"DefaultAgain", default_again, 0, ""},
    {"Ignored", ignored, 0, ""},
    {"Blocked", blocked, 0, ""},
    {"HandlersThatGoOn", handlers_that_go_on, 0, ""},
    {"HandlersOfScopes", handlers_of_scopes, 0, ""},
    {"TheSameHandlerAgain", the_same_handler_again, SIGSEGV, ""},
    {"AReportOfACrash", a_report_of_a_crash, SIGSEGV, "the program crashed\n$"},
    {"Sent", sent, SIGSEGV, ""},
    {"OwnFault", own_fault, SIGSEGV, ""},
    {"AlternateStack", alternate_stack, 0, ""},
    {"MasksOfHandlers", masks_of_handlers, SIGSEGV, ""},
    {"WhileAKernelRuns", while_a_kernel_runs, 0, ""},
    {"AllBlockedAndAThread", other_threads_are_quiet, 0, ""},
};

class Signals : public testing::TestWithParam<std::tuple<Case, const char*>> {};

TEST_P(Signals, AreThePrograms) {
  const auto& [one, engine] = GetParam();
  const auto run = [&, body = one.run, name = engine] {
    setenv("HEDDLE_ENGINE", name, 1);
    setenv("HEDDLE_CACHE", "0", 1);
    alarm(60);
    body();
    std::_Exit(0);
  };
  if (one.signal)
    EXPECT_EXIT(run(), testing::KilledBySignal(one.signal), one.says);
  else
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), one.says);
}

INSTANTIATE_TEST_SUITE_P(
    Engines, Signals, testing::Combine(testing::ValuesIn(kCases), testing::Values("interp", "jit")),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param);
    });

}  // namespace
