// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recording.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace heddle::golden {
namespace {

constexpr std::string_view kMagic = "HGOLDEN1";

class Writer {
 public:
  template <class T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<u8>(u64{value} >> (8 * i)));
  }
  void bytes(std::span<const u8> some) {
    number(static_cast<u32>(some.size()));
    bytes_.insert(bytes_.end(), some.begin(), some.end());
  }
  void text(std::string_view some) {
    bytes({reinterpret_cast<const u8*>(some.data()), some.size()});
  }
  std::vector<u8> take() { return std::move(bytes_); }

 private:
  std::vector<u8> bytes_;
};

/// Beyond the end it returns 0 and empty strings, and failed() is true.
class Reader {
 public:
  explicit Reader(std::span<const u8> bytes) : rest_(bytes) {}

  template <class T>
  T number() {
    u64 value = 0;
    const auto some = next(sizeof(T));
    for (std::size_t i = 0; i < some.size(); ++i) value |= u64{some[i]} << (8 * i);
    return static_cast<T>(value);
  }
  std::span<const u8> bytes() { return next(number<u32>()); }
  std::string text() {
    const auto some = bytes();
    return {some.begin(), some.end()};
  }
  std::span<const u8> next(u64 count) {
    if (count > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const auto some = rest_.first(count);
    rest_ = rest_.subspan(count);
    return some;
  }
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const u8> rest_;
  bool failed_ = false;
};

}  // namespace

RecordsByName by_name(const Recording& recording) {
  RecordsByName records;
  for (const Record& record : recording.records) records[record.name] = &record;
  return records;
}

std::vector<u8> write(const Recording& recording) {
  Writer writer;
  for (const char c : kMagic) writer.number(static_cast<u8>(c));
  writer.text(recording.device);
  writer.text(recording.date);
  writer.number(static_cast<u32>(recording.records.size()));
  for (const Record& record : recording.records) {
    writer.text(record.name);
    writer.number(record.identity);
    writer.number(static_cast<u8>(record.ran));
    writer.number(record.stride);
    writer.number(static_cast<u32>(record.sums.size()));
    for (const u32 sum : record.sums) writer.number(sum);
    writer.bytes(record.raw);
  }
  return writer.take();
}

Result<Recording> read(std::span<const u8> bytes) {
  Reader reader(bytes);
  const auto magic = reader.next(kMagic.size());
  if (!std::equal(magic.begin(), magic.end(), kMagic.begin(), kMagic.end()))
    return Error{"not a recording"};
  Recording recording;
  recording.device = reader.text();
  recording.date = reader.text();
  const u32 count = reader.number<u32>();
  for (u32 i = 0; i < count && !reader.failed(); ++i) {
    Record record;
    record.name = reader.text();
    record.identity = reader.number<u64>();
    const u8 ran = reader.number<u8>();
    if (ran > 1) return Error{"a record neither ran nor did not"};
    record.ran = ran;
    record.stride = reader.number<u32>();
    Reader sums(reader.next(u64{reader.number<u32>()} * 4));
    while (!sums.at_end()) record.sums.push_back(sums.number<u32>());
    const auto raw = reader.bytes();
    record.raw.assign(raw.begin(), raw.end());
    recording.records.push_back(std::move(record));
  }
  if (reader.failed()) return Error{"the recording ends too early"};
  if (!reader.at_end()) return Error{"there is something behind the recording"};
  return recording;
}

Result<Recording> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{fmt::format("{}: cannot be read", path)};
  const std::vector<u8> bytes{std::istreambuf_iterator<char>(file), {}};
  auto recording = read(bytes);
  if (!recording.ok()) return Error{fmt::format("{}: {}", path, recording.error().message)};
  return recording;
}

std::string write_file(const std::string& path, const Recording& recording) {
  const std::vector<u8> bytes = write(recording);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file ? "" : fmt::format("{}: cannot be written", path);
}

}  // namespace heddle::golden
