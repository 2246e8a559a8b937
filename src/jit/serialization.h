// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serialization of plain data, for the cache on disk. A structure is described once, for writing
// and reading:
//
//     template <class Stream> void fields(Stream& s, CodeLine& line) {
//       auto& [offset, function, inst] = line;
//       s(offset, function, inst);
//     }
//
// The binding names all members, so a new member that is not listed does not compile.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/types.h"

namespace heddle::jit {

template <class T>
concept Word = std::is_integral_v<T> || std::is_enum_v<T>;

/// In the byte order of the host: only a host like this one can read it.
class Writer {
 public:
  template <class... Ts>
  void operator()(const Ts&... values) {
    (put(values), ...);
  }
  void bytes(std::string_view raw) { out_.append(raw); }
  std::string take() && { return std::move(out_); }

 private:
  template <Word T>
  void put(const T& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Tag>
  void put(const Id<Tag>& id) {
    put(id.value);
  }
  template <class T>
  void put(const Range<T>& range) {
    put(range.first), put(range.count);
  }
  template <Word T, std::size_t size>
  void put(const T (&values)[size]) {
    out_.append(reinterpret_cast<const char*>(values), sizeof values);
  }
  template <Word T, std::size_t size>
  void put(const std::array<T, size>& values) {
    out_.append(reinterpret_cast<const char*>(values.data()), sizeof values);
  }
  void put(const std::string& text) {
    put(u64{text.size()});
    out_.append(text);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(u64{values.size()});
    if constexpr (Word<T>) {
      out_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }
  template <class T>
    requires(std::is_class_v<T>)
  void put(const T& value) {
    fields(*this, const_cast<T&>(value));  // a Writer does not change it
  }

  std::string out_;
};

/// Reads the bytes of a Writer. Of other bytes it makes values or fails, but reads none beyond the
/// end.
class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}
  template <class... Ts>
  void operator()(Ts&... values) {
    (get(values), ...);
  }
  std::string_view bytes(std::size_t count) {
    if (count > in_.size()) {
      fail();
      return {};
    }
    const std::string_view taken = in_.substr(0, count);
    in_.remove_prefix(count);
    return taken;
  }
  void fail() { failed_ = true, in_ = {}; }
  /// Whether all bytes were read, and none was missing.
  bool done() const { return !failed_ && in_.empty(); }

 private:
  template <Word T>
  void get(T& value) {
    const std::string_view raw = bytes(sizeof value);
    if (raw.empty()) return;
    if constexpr (std::is_same_v<T, bool>) {
      if (static_cast<u8>(raw[0]) > 1) return fail();
    }
    std::memcpy(&value, raw.data(), raw.size());
  }
  template <Word T, std::size_t size>
  void get(T (&values)[size]) {
    for (T& value : values) get(value);
  }
  void get(std::string& text) { text = bytes(count()); }
  template <class T>
  void get(std::vector<T>& values) {
    const std::size_t size = count();  // no more than bytes are left
    if constexpr (std::is_same_v<T, u8>) {
      const std::string_view raw = bytes(size);
      values.assign(raw.begin(), raw.end());
    } else {
      values.clear();
      for (std::size_t i = 0; i < size && !failed_; ++i) get(values.emplace_back());
    }
  }
  template <class T>
    requires(std::is_class_v<T>)
  void get(T& value) {
    fields(*this, value);
  }
  std::size_t count() {
    u64 count = 0;
    get(count);
    if (count <= in_.size()) return count;
    fail();
    return 0;
  }

  std::string_view in_;
  bool failed_ = false;
};

}  // namespace heddle::jit
