// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each structure of the ir is unpacked by a binding that names all of its members, so a new member
// does not compile until this file says whether the code depends on it.
#include "jit/key.h"

#include <set>

#include "jit/serialization.h"

namespace heddle::jit {

// In this namespace, where a Writer finds them.
template <class Stream>
void fields(Stream& s, ir::Guard& guard) {
  auto& [predicate, negated] = guard;
  s(predicate, negated);
}

template <class Stream>
void fields(Stream& s, ir::Inst& inst) {
  auto& [form, guard, slots, operands, space, at] = inst;
  s(form, guard, slots, operands, space);
}

template <class Stream>
void fields(Stream& s, ir::Operand& operand) {
  auto& [kind, type, negated, is_address, component, id, value] = operand;
  s(kind, type, negated, is_address, component, id, value);
}

template <class Stream>
void fields(Stream& s, ir::Register& one) {
  auto& [type, vector, name] = one;
  s(type, vector);
}

// Initial values of variables, their relocations and their samplers are read when the code runs.
template <class Stream>
void fields(Stream& s, ir::Variable& variable) {
  auto& [name, space, linkage, type, vector, align, size, is_array, unsized, managed, bank, init,
         relocations, samplers, at, span] = variable;
  s(space, linkage, type, vector, align, size, is_array, unsized, managed, bank);
}

template <class Stream>
void fields(Stream& s, ir::Parameter& parameter) {
  auto& [name, in_register, reg, local, type, vector, is_array, unsized, align, size, offset,
         is_pointer, pointee_space, pointee_align] = parameter;
  s(in_register, reg, local, type, vector, is_array, unsized, align, size, offset, is_pointer,
    pointee_space, pointee_align);
}

template <class Stream>
void fields(Stream& s, ir::Signature& signature) {
  auto& [returns, params, noreturn] = signature;
  s(returns, params, noreturn);
}

template <class Stream>
void fields(Stream& s, ir::TargetList& list) {
  auto& [labels, functions] = list;
  s(labels, functions);
}

template <class Stream>
void fields(Stream& s, ir::Function& function) {
  auto& [name, is_entry, has_body, linkage, signature, param_bytes, registers, locals, insts,
         operands, target_lists, prototypes, labels, max_ntid, req_ntid, max_nreg, min_nctapersm,
         max_nctapersm, req_nctapercluster, explicit_cluster, blocks_are_clusters, max_clusterrank,
         noreturn, pragmas, at, span, shared_used] = function;
  s(is_entry, has_body, linkage, signature, param_bytes, registers, locals, insts, operands,
    target_lists, prototypes, max_ntid, req_ntid, max_nreg, min_nctapersm, max_nctapersm,
    req_nctapercluster, explicit_cluster, blocks_are_clusters, max_clusterrank, noreturn, pragmas);
}

template <class Stream>
void fields(Stream& s, isa::Target& target) {
  auto& [sm, suffix] = target;
  s(sm, suffix);
}

std::string key_of(const Request& request, std::string_view maker) {
  const ir::Module& module = *request.module;
  Writer key;
  key(std::string(maker), request.block.x, request.block.y, request.block.z, request.clustered,
      request.entry, request.cpu);
  key(module.version.major, module.version.minor, module.targets, module.texmode_independent,
      module.debug_target, module.map_f64_to_f32, module.address_size);
  // Functions and variables are named by their numbers, which the image refers to.
  std::set<u32> variables;
  for (const u32 id : ir::reachable_functions(module, request.entry)) {
    const ir::Function& function = module.functions[id];
    key(id, function);
    for (const ir::Operand& operand : function.operands) {
      if (operand.kind == ir::OperandKind::variable) variables.insert(operand.id);
    }
  }
  key(request.shared->static_bytes);
  for (const u32 id : variables) {
    const auto offset = request.shared->offset.find(id);
    key(id, module.variables[id], offset == request.shared->offset.end() ? ~0u : offset->second);
  }
  return std::move(key).take();
}

}  // namespace heddle::jit
