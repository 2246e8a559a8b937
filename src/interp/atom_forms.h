// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the operation and the type of a reduction, which are known at decode time, to the handler
// that is compiled for them.
#pragma once

#include "interp/op.h"
#include "isa/form.h"
#include "isa/sem/atom.h"

namespace heddle::interp {

/// Calls f<op, type>() for the pair, when atom has such a form (sem/atom.h).
template <sem::Atomop kOp, class F>
Handler with_type(isa::Type type, F f) {
  const auto pick = [&]<class T>(T) -> Handler {
    if constexpr (sem::kHasAtomForm<kOp, T>)
      return f.template operator()<kOp, T>();
    else
      return nullptr;
  };
  switch (type) {
    case isa::Type::u32:
    case isa::Type::b32:
      return pick(u32{});
    case isa::Type::s32:
      return pick(s32{});
    case isa::Type::u64:
    case isa::Type::b64:
      return pick(u64{});
    case isa::Type::s64:
      return pick(s64{});
    case isa::Type::f32:
      return pick(sem::f32{});
    case isa::Type::f64:
      return pick(sem::f64{});
    case isa::Type::f16:
      return pick(sem::f16{});
    case isa::Type::bf16:
      return pick(sem::bf16{});
    default:
      return nullptr;
  }
}
template <class F>
Handler with_operation(u8 atomop, isa::Type type, F f) {
  switch (static_cast<sem::Atomop>(atomop)) {
    case sem::Atomop::and_:
      return with_type<sem::Atomop::and_>(type, f);
    case sem::Atomop::or_:
      return with_type<sem::Atomop::or_>(type, f);
    case sem::Atomop::xor_:
      return with_type<sem::Atomop::xor_>(type, f);
    case sem::Atomop::add:
      return with_type<sem::Atomop::add>(type, f);
    case sem::Atomop::inc:
      return with_type<sem::Atomop::inc>(type, f);
    case sem::Atomop::dec:
      return with_type<sem::Atomop::dec>(type, f);
    case sem::Atomop::min:
      return with_type<sem::Atomop::min>(type, f);
    case sem::Atomop::max:
      return with_type<sem::Atomop::max>(type, f);
    default:
      return nullptr;
  }
}

}  // namespace heddle::interp
