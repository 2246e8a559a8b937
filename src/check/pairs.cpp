// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/pairs.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "isa/form.h"

namespace heddle::check {

using diag::Kind;

namespace {

enum Instruction : Paired {
  kWgmmaMma,
  kWgmmaFence,
  kWgmmaCommit,
  kWgmmaWait,
  kBulkCommit,
  kBulkWait,
  kCopyArrive,
  kCopyCommit,
  kCopyWait,
  kCopyWaitAll,
  kBulk,
  kCopy,
  kTcgenMma,
  kTcgenCopy,
  kTcgenShift,
  kTcgenCommit,
  kTcgenLoad,
  kTcgenWaitLoad,
  kTcgenStore,
  kTcgenWaitStore,
  kTcgenAlloc,
  kTcgenDealloc,
};

/// An instruction is the first row all of whose modifiers it has.
struct Row {
  std::string_view name, opcode;
  std::array<std::string_view, 3> words;
};
constexpr Row kRows[] = {
    {"wgmma.mma_async", "wgmma", {"mma_async"}},
    {"wgmma.fence", "wgmma", {"fence"}},
    {"wgmma.commit_group", "wgmma", {"commit_group"}},
    {"wgmma.wait_group", "wgmma", {"wait_group"}},
    {"cp.async.bulk.commit_group", "cp", {"async", "bulk", "commit_group"}},
    {"cp.async.bulk.wait_group", "cp", {"async", "bulk", "wait_group"}},
    {"cp.async.mbarrier.arrive", "cp", {"async", "mbarrier", "arrive"}},
    {"cp.async.commit_group", "cp", {"async", "commit_group"}},
    {"cp.async.wait_group", "cp", {"async", "wait_group"}},
    {"cp.async.wait_all", "cp", {"async", "wait_all"}},
    {"cp.async.bulk", "cp", {"async", "bulk"}},
    {"cp.async", "cp", {"async"}},
    {"tcgen05.mma", "tcgen05", {"mma"}},
    {"tcgen05.cp", "tcgen05", {"cp"}},
    {"tcgen05.shift", "tcgen05", {"shift"}},
    {"tcgen05.commit", "tcgen05", {"commit"}},
    {"tcgen05.ld", "tcgen05", {"ld"}},
    {"tcgen05.wait::ld", "tcgen05", {"wait::ld"}},
    {"tcgen05.st", "tcgen05", {"st"}},
    {"tcgen05.wait::st", "tcgen05", {"wait::st"}},
    {"tcgen05.alloc", "tcgen05", {"alloc"}},
    {"tcgen05.dealloc", "tcgen05", {"dealloc"}},
};

constexpr u32 bit(Instruction one) { return 1u << one; }

/// `one` needs an instruction of each of the sets, except where the kernel has one of `unless`, for
/// which another rule reports what is missing.
struct Rule {
  Instruction one;
  std::array<u32, 3> needs;
  u32 unless;
  const char* why;
};
constexpr u32 kAnyCopyWait = bit(kCopyWait) | bit(kCopyWaitAll) | bit(kCopyArrive);
constexpr u32 kCommitted = bit(kTcgenMma) | bit(kTcgenCopy) | bit(kTcgenShift);
constexpr const char* kNothing = "it has no effect without that";
constexpr Rule kRules[] = {
    {kWgmmaMma,
     {bit(kWgmmaFence), bit(kWgmmaCommit), bit(kWgmmaWait)},
     0,
     "a fence orders the accesses to its registers, and its result exists after a wait for its "
     "group"},
    {kWgmmaFence, {bit(kWgmmaMma)}, 0, kNothing},
    {kWgmmaCommit, {bit(kWgmmaMma)}, 0, kNothing},
    {kWgmmaWait, {bit(kWgmmaCommit)}, bit(kWgmmaMma), kNothing},
    {kCopy, {kAnyCopyWait}, 0, "what it copies may be read after that only"},
    {kCopyWait, {bit(kCopyCommit)}, 0, "it waits for groups, which commit_group makes"},
    {kBulkWait, {bit(kBulkCommit)}, 0, "it waits for groups, which commit_group makes"},
    {kTcgenMma, {bit(kTcgenCommit)}, 0, "only that tells when it is complete"},
    {kTcgenCommit, {kCommitted}, 0, "it makes an mbarrier object track such operations"},
    {kTcgenLoad, {bit(kTcgenWaitLoad)}, 0, "its registers may be read after that only"},
    {kTcgenWaitLoad, {bit(kTcgenLoad)}, 0, kNothing},
    {kTcgenStore, {bit(kTcgenWaitStore)}, 0, "what it stores may be read after that only"},
    {kTcgenWaitStore, {bit(kTcgenStore)}, 0, kNothing},
    {kTcgenAlloc, {bit(kTcgenDealloc)}, 0, "a kernel frees its tensor memory before it ends"},
};

/// What a kernel and the functions that it calls have. Null: it calls an unknown function.
class Whole {
 public:
  Whole(const ir::Module& module, std::span<const PairedUses> uses, u32 kernel) {
    std::vector<u32> queue{kernel};
    std::vector<bool> seen(uses.size());
    seen[kernel] = true;
    while (!queue.empty()) {
      const u32 id = queue.back();
      queue.pop_back();
      const PairedUses& one = uses[id];
      is_known_ &= module.functions[id].has_body && !one.calls_unknown;
      present_ |= one.present;
      functions_.push_back(&one);
      for (const u32 callee : one.callees) {
        if (seen[callee]) continue;
        seen[callee] = true;
        queue.push_back(callee);
      }
    }
  }
  bool is_known() const { return is_known_; }
  bool has(u32 any) const { return (present_ & any) != 0; }
  Span place_of(Paired paired) const {
    for (const PairedUses* one : functions_) {
      const auto found = std::ranges::find(one->first, paired, &std::pair<Paired, Span>::first);
      if (found != one->first.end()) return found->second;
    }
    return {};
  }

 private:
  bool is_known_ = true;
  u32 present_ = 0;
  std::vector<const PairedUses*> functions_;
};

/// "a, b or c", of instructions.
std::string alternatives(u32 instructions) {
  std::string text;
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if ((instructions >> i & 1) == 0) continue;
    const bool is_last = instructions >> i == 1;
    text += fmt::format("{}{}", text.empty() ? "" : is_last ? " or " : ", ", kRows[i].name);
  }
  return text;
}

}  // namespace

Paired find_paired(std::string_view opcode, std::span<const u16> words) {
  if (opcode != "cp" && opcode != "wgmma" && opcode != "tcgen05") return kUnpaired;
  const auto has = [&](std::string_view wanted) {
    return wanted.empty() ||
           std::ranges::any_of(words, [&](u16 word) { return isa::word_text(word) == wanted; });
  };
  const auto row = std::ranges::find_if(kRows, [&](const Row& one) {
    return one.opcode == opcode && std::ranges::all_of(one.words, has);
  });
  return row == std::end(kRows) ? kUnpaired : static_cast<Paired>(row - kRows);
}

void PairedUses::add(Paired paired, Span span) {
  if ((present >> paired & 1) != 0) return;
  present |= 1u << paired;
  first.emplace_back(paired, span);
}

void report_unpaired(const ir::Module& module, std::span<const PairedUses> uses,
                     diag::Report& report) {
  if (std::ranges::none_of(uses, &PairedUses::present)) return;
  std::set<std::pair<u32, Paired>> reported;  // places, in functions of several kernels
  for (u32 kernel = 0; kernel < uses.size(); ++kernel) {
    if (!module.functions[kernel].is_entry || !module.functions[kernel].has_body) continue;
    const Whole whole(module, uses, kernel);
    if (!whole.is_known()) continue;
    for (const Rule& rule : kRules) {
      if (!whole.has(bit(rule.one)) || whole.has(rule.unless)) continue;
      std::string missing;
      for (const u32 partners : rule.needs) {
        if (partners == 0 || whole.has(partners)) continue;
        missing += fmt::format("{}no {}", missing.empty() ? "" : " and ", alternatives(partners));
      }
      const Span place = whole.place_of(rule.one);
      if (missing.empty() || !reported.emplace(place.begin, rule.one).second) continue;
      report
          .add(Kind::unpaired_instruction, place, module.functions[kernel].name,
               kRows[rule.one].name, missing)
          .note(rule.why);
    }
  }
}

}  // namespace heddle::check
