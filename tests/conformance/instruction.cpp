// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instruction.h"

#include <cstring>

#include "base/check.h"
#include "interp/level.h"
#include "isa/match.h"
#include "machine/wide_access.h"

namespace heddle::conformance {
namespace {

constexpr u32 kPlaceBytes = kLanes * 8;

u32 bytes_of(isa::Type type) { return isa::type_info(type).bits / 8; }

}  // namespace

std::optional<Instruction> Instruction::find(std::string_view mnemonic) {
  std::string_view opcode = mnemonic.substr(0, mnemonic.find('.'));
  std::vector<u16> words;
  for (std::string_view rest = mnemonic.substr(opcode.size()); !rest.empty();) {
    rest.remove_prefix(1);
    const int word = isa::find_word(rest.substr(0, rest.find('.')));
    HEDDLE_CHECK(word >= 0);
    words.push_back(static_cast<u16>(word));
    rest.remove_prefix(std::min(rest.find('.'), rest.size()));
  }
  for (const isa::Candidate& candidate : isa::match(opcode, words).candidates) {
    const isa::Form& form = *candidate.form;
    const u32 index = isa::dispatch_index(form, candidate.slot_values());
    if (index == isa::kNoDispatch) continue;
    Instruction found;
    found.handlers_ = interp::best_level().lanes[index];
    for (const isa::OperandSpec& spec : form.operands) {
      const isa::Type type = isa::operand_type(spec, candidate.slot_values());
      if (spec.written) {
        found.result_ = type;
      } else {
        found.sources_.push_back(type);
      }
    }
    for (std::size_t i = 0; i < form.runtime_slots.size(); ++i)
      found.runtime_[i] = candidate.values[form.runtime_slots[i]];
    HEDDLE_CHECK(found.handlers_);
    return found;
  }
  return std::nullopt;
}

void Instruction::run(const Values* inputs, Values& output) const {
  alignas(64) u8 frame[kPlaceBytes * 4];
  interp::Warp warp;
  warp.mask = interp::kAllLanes;
  warp.frame = frame;
  interp::Op ops[2];
  ops[1].full = &interp::full_control;
  interp::Op& op = ops[0];
  op.run = handlers_.run;
  op.full = handlers_.full;
  std::memcpy(op.runtime, runtime_, sizeof runtime_);
  for (u32 i = 0; i < sources_.size(); ++i) {
    u8* const at = frame + kPlaceBytes * (i + 1);
    op.src[i] = static_cast<interp::Place>(kPlaceBytes * (i + 1));
    machine::with_word(bytes_of(sources_[i]), [&]<class T>(T) {
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const T value = static_cast<T>(inputs[i][lane]);
        std::memcpy(at + lane * sizeof(T), &value, sizeof(T));
      }
    });
  }
  op.dst[0] = 0;
  interp::Gang gang(warp);
  interp::run_full(gang, ops);
  machine::with_word(bytes_of(result_), [&]<class T>(T value) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      std::memcpy(&value, frame + lane * sizeof(T), sizeof(T));
      output[lane] = value;
    }
  });
}

}  // namespace heddle::conformance
