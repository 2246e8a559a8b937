// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of names at a point of the text (PTX ISA 5.4, 4.4): module scope, function scope,
// nested blocks. A name of an inner scope hides the same name of an outer scope. Look-up is one
// array access; leaving a scope undoes its declarations.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "syntax/tree.h"

namespace heddle::check {

enum class SymbolKind : u8 {
  none,
  error,      ///< declared, but wrongly: already reported; uses stay silent
  reg,        ///< id = RegId; length > 1: that many consecutive registers of a vector
  variable,   ///< id = VarId
  local,      ///< id = LocalId
  parameter,  ///< of a kernel: id = index into the signature
  function,   ///< id = FunctionId
  label,      ///< id = index into the function's labels
  targets,    ///< id = index into Function::target_lists
  prototype,  ///< id = index into Function::prototypes
};

struct Symbol {
  SymbolKind kind = SymbolKind::none;
  u8 length = 1;
  u32 id = 0;
  Span declared;
};

/// `.reg .u32 %r<100>`: registers made at first use.
struct RegisterFamily {
  isa::Type type;
  u8 vector;
  u32 count;
  Span declared;
  u32 depth = 0;  ///< of the scope that declares it; set by Scopes
  /// By number: RegId + 1, or 0 when it was not used yet. The count may be large while few numbers
  /// are used, so numbers above kNear are in a map.
  static constexpr u32 kNear = 1u << 16;
  std::vector<u32> near = {};
  std::unordered_map<u32, u32> far = {};

  u32& made(u32 number) {
    if (number >= kNear) return far[number];
    if (near.size() <= number) near.resize(number + 1);
    return near[number];
  }
};

class Scopes {
 public:
  explicit Scopes(const Names& names)
      : names_(names),
        current_(names.size()),
        depth_(names.size()),
        family_(names.size()),
        shortest_(names.size()) {}

  void enter() {
    marks_.push_back({undo_.size(), family_undo_.size(), families.size(), numbered_bases_.size()});
  }
  void leave();

  const Symbol& operator[](NameId name) const { return current_[name.value]; }
  /// The symbol that `name` already has in this scope, if there is one: then nothing is declared.
  std::optional<Symbol> declare(NameId name, Symbol symbol);
  /// Replaces the symbol of `name` in the scope of its declaration.
  void update(NameId name, Symbol symbol) { current_[name.value] = symbol; }

  /// The scope, counted from the outermost one, to which the symbol belongs.
  u32 depth(NameId name) const { return depth_[name.value]; }
  u32 depth() const { return static_cast<u32>(marks_.size()); }

  /// The family that `base` already has in this scope, if there is one: then nothing is declared.
  /// `%r<100>` does not declare the name `%r` itself.
  const RegisterFamily* declare_family(NameId base, RegisterFamily family);
  const RegisterFamily* family(NameId base) const {
    return family_[base.value] ? &families[family_[base.value] - 1] : nullptr;
  }

  /// `%r12` of a family `%r<100>`: the family and the number 12.
  struct Member {
    u32 family;
    u32 number;
  };
  std::optional<Member> member(NameId name);
  /// Remembers a name that was declared and ends in digits, until the scope is left.
  void note_numbered(NameId name);
  /// The noted names that may be members of a family `base`.
  std::span<const NameId> numbered(NameId base) const {
    const auto found = numbered_.find(base.value);
    return found == numbered_.end() ? std::span<const NameId>() : found->second;
  }
  /// Whether a family that is declared in an inner scope may hide the symbol of this name.
  bool may_be_hidden(NameId name) const { return depth_[name.value] < deepest_family_; }

  std::vector<RegisterFamily> families;

 private:
  struct Undo {
    NameId name;
    Symbol before;
    u32 depth_before;
  };
  struct FamilyUndo {
    NameId base;
    u32 before;
  };
  struct Mark {
    std::size_t undo, family_undo, families, numbered;
  };
  struct Numbered {
    NameId base;  ///< `%r` of %r12; none when the module has no such name
    u32 number = 0;
    bool is_known = false;  ///< computed already
  };
  Numbered split(std::string_view text, std::size_t at) const;
  std::optional<Member> member_of(const Numbered& numbered) const;

  const Names& names_;
  std::vector<Symbol> current_;
  std::vector<u32> depth_;          // scope depth that current_ belongs to
  std::vector<u32> family_;         // by base name: index into families plus 1
  std::vector<Numbered> shortest_;  // by name: its split with the shortest base
  std::vector<Undo> undo_;
  std::vector<FamilyUndo> family_undo_;
  std::vector<Mark> marks_;
  std::unordered_map<u32, std::vector<NameId>> numbered_;  // by base name: see note_numbered()
  std::vector<NameId> numbered_bases_;                     // in the order in which numbered_ grew
  u32 deepest_family_ = 0;
};

}  // namespace heddle::check
