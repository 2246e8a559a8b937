// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the tables of loads, stores, atomics and copies with mnemonics that the vendor's assembler
// accepts or refuses, independently of the tables (PTX ISA 9.7.9, 9.7.13).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "isa/match.h"
#include "isa/mnemonic.h"

namespace heddle::isa {
namespace {

struct MemoryCase {
  std::string_view mnemonic;
  PtxVersion version;
  std::string_view target;
  bool accepted;
};

constexpr PtxVersion k60{6, 0}, k74{7, 4}, k78{7, 8}, k83{8, 3}, k84{8, 4}, k88{8, 8}, k90{9, 0},
    k91{9, 1};

constexpr MemoryCase kCases[] = {
    // Generic addresses and cache operators came with PTX 2.0; the modifiers stand in any order.
    {"ld.global.f32", {1, 0}, "sm_10", true},
    {"ld.f32", {1, 4}, "sm_13", false},
    {"ld.f32", {2, 0}, "sm_20", true},
    {"ld.u32.v2.global", {1, 0}, "sm_10", true},
    {"st.global.cs.u32", {2, 0}, "sm_13", false},
    {"st.const.u32", k90, "sm_90", false},
    // Memory orders: a scope goes with relaxed, acquire and release, and with no other.
    {"ld.volatile.global.u32", {1, 0}, "sm_10", false},
    {"ld.volatile.global.u32", {1, 1}, "sm_10", true},
    {"ld.relaxed.cta.shared.u32", k60, "sm_62", false},
    {"ld.relaxed.cta.shared.u32", k60, "sm_70", true},
    {"ld.relaxed.u32", k90, "sm_90", false},
    {"ld.weak.gpu.u32", k90, "sm_90", false},
    {"ld.release.gpu.u32", k90, "sm_90", false},
    {"st.acquire.gpu.u32", k90, "sm_90", false},
    {"ld.acquire.cluster.u32", k78, "sm_80", false},
    {"ld.volatile.local.u32", k90, "sm_90", false},
    {"ld.volatile.local.u32", k91, "sm_90", true},
    {"ld.relaxed.gpu.local.u32", k90, "sm_90", false},
    {"ld.relaxed.gpu.ca.u32", k90, "sm_90", false},
    {"ld.mmio.relaxed.sys.u32", k90, "sm_90", true},
    {"ld.mmio.relaxed.gpu.u32", k90, "sm_90", false},
    {"ld.mmio.relaxed.sys.v2.u32", k90, "sm_90", false},
    // Hints to the caches.
    {"ld.global.L1::evict_last.u32", k74, "sm_70", true},
    {"ld.global.ca.L1::evict_last.u32", k90, "sm_90", false},
    {"ld.shared.L1::evict_last.u32", k90, "sm_90", false},
    {"ld.L2::256B.u32", k74, "sm_75", false},
    {"ld.L2::128B.u32", k74, "sm_75", true},
    {"st.L2::128B.u32", k90, "sm_90", false},
    {"ld.global.nc.L1::no_allocate.L2::128B.v4.u32", k90, "sm_90", true},
    {"ld.nc.u32", k90, "sm_90", false},
    {"ld.global.cv.nc.u32", k90, "sm_90", false},
    // Vectors: 128 bits, or 256 bits in global memory of sm_100.
    {"ld.shared.v4.f32", {1, 0}, "sm_10", true},
    {"ld.v2.b128", k90, "sm_100", false},
    {"ld.global.v8.f32", k88, "sm_100", true},
    {"ld.global.v8.f32", k88, "sm_90", false},
    {"ld.global.v8.u16", k90, "sm_100", false},
    {"ld.shared.v4.u64", k90, "sm_100", false},
    {"ld.global.L2::evict_last.u32", k90, "sm_100", false},
    {"ld.global.L2::evict_last.v4.u64", k90, "sm_100", true},
    {"st.global.v4.f64", k90, "sm_100", true},
    {"ldu.v4.b64", k90, "sm_90", false},
    {"ld.relaxed.sys.b128", k83, "sm_90", false},
    {"ld.relaxed.sys.b128", k84, "sm_90", true},
    {"ld.global.f16", k90, "sm_90", false},
    // Atomics.
    {"atom.global.add.u64", {1, 2}, "sm_12", true},
    {"atom.shared.add.u64", {1, 4}, "sm_13", false},
    {"atom.global.and.b64", {3, 1}, "sm_30", false},
    {"atom.global.and.b64", {3, 1}, "sm_35", true},
    {"atom.add.s64", k90, "sm_90", false},
    {"atom.add.f64", {5, 0}, "sm_60", true},
    {"atom.add.f32", k90, "sm_90", true},
    {"atom.max.f32", k90, "sm_90", false},
    {"atom.add.f16", k90, "sm_90", false},
    {"atom.add.noftz.f16", k90, "sm_90", true},
    {"atom.shared.b128.cas", k90, "sm_90", true},
    {"atom.global.v8.f16.max.noftz", k90, "sm_90", true},
    {"atom.global.v8.add.noftz.f16x2", k90, "sm_90", false},
    {"atom.shared.v2.add.f32", k90, "sm_90", false},
    {"red.acquire.gpu.add.u32", k90, "sm_90", false},
    {"red.exch.b32", k90, "sm_90", false},
    // Addresses.
    {"cvta.to.global.u64", {2, 0}, "sm_20", true},
    {"cvta.param.u64", {7, 6}, "sm_80", false},
    {"cvta.global.b64", k90, "sm_90", false},
    {"isspacep.shared::cluster", k78, "sm_90", true},
    {"isspacep.param::func", k90, "sm_90", false},
    // Asynchronous copies.
    {"cp.async.ca.shared.global.L2::128B", k74, "sm_80", true},
    {"cp.async.shared.global", k90, "sm_90", false},
    {"cp.async.bulk.global.shared::cta", k90, "sm_90", false},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes", k90,
     "sm_90", false},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes", k90,
     "sm_90", true},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes",
     k90, "sm_100", false},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes",
     k90, "sm_103f", true},
    {"mbarrier.arrive.release.b64", k90, "sm_90", false},
    {"mbarrier.arrive.relaxed.cta.b64", {8, 5}, "sm_90", false},
    {"mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64", k90, "sm_90", true},
    {"multimem.ld_reduce.relaxed.add.u32", k90, "sm_90", false},
    {"multimem.ld_reduce.relaxed.sys.add.u32", k90, "sm_90", true},
    // Textures and surfaces.
    {"tex.2d.v4.f32.f32", {1, 0}, "sm_10", true},
    {"tex.2d.v4.f16x2.f32", k90, "sm_90", false},
    {"tex.cube.v4.f32.s32", k90, "sm_90", false},
    {"tex.level.2dms.v4.f32.s32", k90, "sm_90", false},
    {"tld4.r.2d.v4.f16.f32", k90, "sm_90", false},
    {"suld.b.2d.v4.b64.trap", k90, "sm_90", false},
    {"suld.b.2d.b32", k90, "sm_90", false},
    {"sured.b.add.1d.b32.trap", k90, "sm_90", false},
};

bool open(const Candidate& candidate, PtxVersion version, Target target) {
  return std::ranges::all_of(candidate.form->gates, [&](const ConditionalGate& gate) {
    const bool applies = gate.operand < 0 && all_hold(gate.when, candidate.slot_values());
    return !applies || !refuse(gate.gate, version, target);
  });
}

bool accepted(const MemoryCase& test) {
  const MnemonicParts parts = take_apart(test.mnemonic);
  const Match found = match(parts.opcode, parts.words);
  const Target target = parse_target(test.target).value();
  return std::ranges::any_of(found.candidates,
                             [&](const Candidate& one) { return open(one, test.version, target); });
}

TEST(MemoryTables, AgreeWithTheAssembler) {
  for (const MemoryCase& test : kCases) {
    EXPECT_EQ(accepted(test), test.accepted)
        << test.mnemonic << " in .version " << to_string(test.version) << ", .target "
        << test.target;
  }
}

}  // namespace
}  // namespace heddle::isa
