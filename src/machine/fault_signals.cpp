// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whenever the program has installed a handler over Heddle's, Heddle installs a further handler
// over it, a different function with its own number (a link). Each link remembers the handler that
// it replaced. One function for all links would not do: the program's handler may chain to the
// handler that it replaced, an earlier link, and that link must not call the program's handler
// again.
#include "machine/fault_signals.h"

#include <pthread.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#include "base/types.h"
#include "machine/fault.h"

namespace heddle::machine {
namespace {

using Action = struct sigaction;

constexpr std::array kSignals = {SIGSEGV, SIGBUS};
constexpr u32 kLinks = 16, kNone = ~0u;
/// SA_NOCLDSTOP and SA_NOCLDWAIT have no meaning for these signals: they mark Heddle's handlers.
constexpr int kMark = SA_NOCLDSTOP | SA_NOCLDWAIT;
constexpr int kFlags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | kMark;

/// One of our handlers.
struct Link {
  std::atomic<const Action*> before{nullptr};  ///< gets the signals that are no kernel's fault
  u32 under = kNone;                           ///< the link over which this one was installed
  bool is_bypassed = false;                    ///< free for reuse with another `before`
};

struct Chain {
  std::array<Link, kLinks> links;
  std::atomic<u32> first{kNone}, used{0};
};

/// Constant before the first handler can run, and never destroyed.
std::array<Chain, kSignals.size()> chains;

bool calls(const Action& action) {
  return (action.sa_flags & SA_SIGINFO) ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

/// Delivers the signal to the handler as the operating system would.
void pass_on(std::atomic<const Action*>& to, int signal, siginfo_t* info, void* context) {
  static const Action kDefault{};
  const Action& action = *to.load(std::memory_order_acquire);
  const bool was_sent = info->si_code <= 0;  // by kill() or raise(), not by an instruction
  if (!calls(action)) {
    if (was_sent && action.sa_handler == SIG_IGN) return;
    // The instruction is executed again, and now ends the process.
    std::signal(signal, SIG_DFL);
    if (was_sent) std::raise(signal);
    return;
  }
  sigset_t mask = action.sa_mask;
  if (!(action.sa_flags & SA_NODEFER)) sigaddset(&mask, signal);
  pthread_sigmask(SIG_BLOCK, &mask, nullptr);  // restored when our handler returns
  if (action.sa_flags & SA_RESETHAND) to.store(&kDefault, std::memory_order_release);
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
}

template <u32 kChain, u32 kLink>
void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code > 0)
    FaultGuard::leave_if_kernels(reinterpret_cast<u64>(info->si_addr), context);
  pass_on(chains[kChain].links[kLink].before, signal, info, context);
  errno = error;
}

using Handler = void (*)(int, siginfo_t*, void*);

template <u32 kChain, u32... kLink>
constexpr std::array<Handler, kLinks> handlers_of(std::integer_sequence<u32, kLink...>) {
  return {on_fault<kChain, kLink>...};
}
constexpr std::array<std::array<Handler, kLinks>, kSignals.size()> kHandlers = {
    handlers_of<0>(std::make_integer_sequence<u32, kLinks>()),
    handlers_of<1>(std::make_integer_sequence<u32, kLinks>())};
static_assert(kSignals.size() == 2);

u32 link_of(u32 chain, const Action& action) {
  for (u32 i = 0; i < chains[chain].used.load(std::memory_order_acquire); ++i) {
    if (action.sa_sigaction == kHandlers[chain][i]) return i;
  }
  return kNone;
}

/// Held by the callers of the following functions.
std::mutex mutex;

/// A copy of the action that is never freed, because handlers read it without a lock; one copy for
/// equal actions.
const Action* kept(const Action& action) {
  static std::deque<Action>& all = *new std::deque<Action>;
  for (const Action& one : all) {
    if (one.sa_handler == action.sa_handler && one.sa_flags == action.sa_flags &&
        std::memcmp(&one.sa_mask, &action.sa_mask, sizeof one.sa_mask) == 0)
      return &one;
  }
  return &all.emplace_back(action);
}

/// A link to install over `other`. kNone: all links are in use.
u32 link_before(Chain& chain, const Action* other) {
  const u32 first = chain.first, used = chain.used;
  for (u32 i = 0; i < used; ++i) {
    // Not the first link: `other` may now chain to it.
    if (chain.links[i].before == other && (i != first || !calls(*other))) return i;
  }
  if (first != kNone && chain.links[first].before == other) {
    // `other` was installed over Heddle's handler again: let its old link go on to the handler
    // before that link.
    Link& again = chain.links[first];
    static const Action kDefault{};
    again.before = again.under == kNone ? &kDefault : chain.links[again.under].before.load();
    again.is_bypassed = true;
  }
  for (u32 i = 0; i < used; ++i) {
    if (chain.links[i].is_bypassed && i != first) return i;
  }
  if (used < kLinks) {
    chain.used.store(used + 1, std::memory_order_release);
    return used;
  }
  // Another copy of Heddle chains to this one already, and would install its handler over ours each
  // time. For any other handler, the oldest link is reused; the handler that it replaced no longer
  // gets signals.
  if (other->sa_flags & SA_NOCLDWAIT) return kNone;
  return first + 1 < kLinks ? first + 1 : 1;
}

void come_before_others(u32 number) {
  Chain& chain = chains[number];
  const std::lock_guard lock(mutex);
  Action now;
  sigaction(kSignals[number], nullptr, &now);
  while (link_of(number, now) == kNone) {
    const Action* const other = kept(now);
    const u32 place = link_before(chain, other);
    if (place == kNone) return;
    Link& link = chain.links[place];
    link.before = other;
    link.under = chain.first;
    link.is_bypassed = false;
    Action ours{};
    ours.sa_sigaction = kHandlers[number][place];
    ours.sa_flags = kFlags;
    sigemptyset(&ours.sa_mask);
    sigaction(kSignals[number], &ours, &now);
    chain.first = place;
    if (kept(now) == other) return;
    // Another thread installed a handler in between; ours chains to it.
  }
}

sigset_t fault_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

}  // namespace

namespace {

/// True: the handler had to be installed again.
bool comes_first(u32 number) {
  Action now;
  sigaction(kSignals[number], nullptr, &now);
  const u32 link = link_of(number, now);
  if (link == chains[number].first.load(std::memory_order_relaxed) && link != kNone) return false;
  if (link == kNone)
    come_before_others(number);
  else
    chains[number].first = link;  // the program has restored that link
  return true;
}

}  // namespace

void FaultSignals::come_first() {
  for (u32 i = 0; i < kSignals.size(); ++i) comes_first(i);
}

// Only SIGSEGV is checked at each launch: a launch takes microseconds, and each check a tenth of
// one. A program that handles SIGBUS mostly handles SIGSEGV too, and stray accesses of kernels are
// SIGSEGV except in files that were truncated.
FaultSignals::FaultSignals() {
  const sigset_t faults = fault_set();
  pthread_sigmask(SIG_UNBLOCK, &faults, &before_);
  if (comes_first(0)) come_first();
}

FaultSignals::~FaultSignals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  bool any = false;
  for (const int signal : kSignals) {
    if (!sigismember(&before_, signal)) continue;
    sigaddset(&blocked, signal);
    any = true;
  }
  if (any) pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

}  // namespace heddle::machine
