// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/huge_pages.h"
#include "machine/profile.h"

namespace heddle::machine {
namespace {

constexpr u64 kMiB = u64{1} << 20;

// The low region lies where position-independent programs have no mappings, and below 2 GiB, where
// the sanitizers have none.
constexpr u64 kLowBases[] = {0x1000'0000, 0x2000'0000, 0x8000'0000};
constexpr u64 kLowSize = 1280 * kMiB;
constexpr u64 kLowShared = 128 * kMiB;
constexpr u64 kLowLocal = 256 * kMiB;
constexpr u64 kLowOpaque = 1 * kMiB;
constexpr u64 kHighOpaque = 8 * kMiB;
constexpr u64 kHighShared = 4 * kGiB;  // for the largest cooperative grids
constexpr u64 kHighLocal = 16 * kGiB;
// As much as a GPU with 44-bit addresses; less if the host has less address space left.
constexpr u64 kMostReserved = 16384 * kGiB;

u64 reserve_range(u64 base, u64 size) {
  const int fixed = base ? MAP_FIXED_NOREPLACE : 0;
  void* at = mmap(reinterpret_cast<void*>(base), size, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (at == MAP_FAILED) return 0;
  const u64 got = reinterpret_cast<u64>(at);
  if (base && got != base) {  // the operating system does not know MAP_FIXED_NOREPLACE
    munmap(at, size);
    return 0;
  }
  return got;
}

bool commit(u64 base, u64 bytes) {
  return mprotect(reinterpret_cast<void*>(base), round_up(bytes, kPage), PROT_READ | PROT_WRITE) ==
         0;
}

/// Commits the range and the page on either side. The inactive lanes of a masked vector access may
/// address these pages; if a page is not mapped, the processor takes hundreds of cycles to suppress
/// the fault of an inactive lane.
bool commit_with_neighbours(u64 base, u64 bytes) {
  if (!commit(base - kPage, bytes + 2 * kPage)) return false;
  for (const u64 page : {base - kPage, base + bytes}) *reinterpret_cast<volatile u8*>(page) = 0;
  return true;
}

/// Makes the range zero pages without access again.
void decommit(u64 base, u64 bytes) {
  void* at = reinterpret_cast<void*>(base);
  madvise(at, round_up(bytes, kPage), MADV_DONTNEED);
  mprotect(at, round_up(bytes, kPage), PROT_NONE);
}

/// Replaces all mappings of the range by addresses without memory.
void blank(AddressRange what) {
  void* const at = reinterpret_cast<void*>(what.base);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  HEDDLE_CHECK(mmap(at, what.size, PROT_NONE, flags, -1, 0) == at);
}

bool map_file(AddressRange to, int protection, int file, u64 offset) {
  return mmap(reinterpret_cast<void*>(to.base), to.size, protection, MAP_SHARED | MAP_FIXED, file,
              static_cast<off_t>(offset)) != MAP_FAILED;
}

/// The most bytes to reserve beside `needed` bytes; if the process's address space is limited, most
/// of it is left to the program.
u64 most_reserved(u64 needed) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMostReserved;
  const u64 rest = limit.rlim_cur > needed ? limit.rlim_cur - needed : 0;
  return std::min(rest / 4 / kGiB * kGiB, kMostReserved);
}

Region carve(u64 base, u64 size, u64 shared, u64 local, u64 opaque, u64 reserved = 0) {
  Region region;
  region.all = {base, size};
  region.shared = {base, shared};
  region.local = {base + shared, local};
  region.opaque = {base + shared + local, opaque};
  region.heap = {region.opaque.end() + kPage, size - shared - local - opaque - kPage - reserved};
  region.reserved = {base + size - reserved, reserved};
  return region;
}

}  // namespace

Result<std::unique_ptr<Memory>> Memory::create(u64 device_bytes) {
  if (!device_bytes)
    device_bytes =
        static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
  if (device_bytes == 0) {  // 0 in Profile::memory_bytes: as much as the host has
    device_bytes =
        static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
  }
  std::unique_ptr<Memory> memory(new Memory);
  for (const u64 base : kLowBases) {
    if (const u64 got = reserve_range(base, kLowSize)) {
      memory->low_ = carve(got, kLowSize, kLowShared, kLowLocal, kLowOpaque);
      break;
    }
  }
  const u64 heap =
      round_up(device_bytes, kGiB) + 4 * kGiB;  // slack for guard pages and fragmentation
  const u64 needed = kHighShared + kHighLocal + heap;
  u64 reserved = most_reserved(needed), base = 0;
  while (!(base = reserve_range(0, needed + reserved)) && reserved) {
    reserved = reserved / 2 / kGiB * kGiB;
  }
  if (!base) {
    return Error{
        fmt::format("cannot reserve {} GiB of address space for device memory", needed / kGiB)};
  }
  memory->high_ = carve(base, needed + reserved, kHighShared, kHighLocal, kHighOpaque, reserved);
  memory->low_heap_.reset(memory->low_.heap);
  memory->high_heap_.reset(memory->high_.heap);
  memory->low_local_.reset(memory->low_.local);
  memory->high_local_.reset(memory->high_.local);
  memory->reserved_.reset(memory->high_.reserved);
  memory->textures_ = std::make_unique<TextureObjects>(memory->low_.opaque, memory->high_.opaque);
  memory->device_bytes_ = device_bytes;
  return memory;
}

Memory::~Memory() {
  for (const Region* region : {&low_, &high_}) {
    if (region->all.size) munmap(reinterpret_cast<void*>(region->all.base), region->all.size);
  }
}

Result<u64> Memory::allocate(u64 bytes, u64 align, bool low) {
  HEDDLE_CHECK(bytes > 0);
  const std::lock_guard lock(mutex_);
  if (bytes > device_bytes_ || used_ + bytes > device_bytes_) {
    return Error{fmt::format("out of device memory: {} bytes asked for, {} of {} in use", bytes,
                             used_, device_bytes_)};
  }
  // Large pages: a kernel that reads a column of a matrix touches a new small page for each row.
  if (bytes >= kHugePage) align = std::max(align, kHugePage);
  Ranges* pages = &low_heap_;
  u64 base = pages->take(bytes, align);
  if (!base && !low) {
    pages = &high_heap_;
    base = pages->take(bytes, align);
  }
  if (!base) {
    return Error{fmt::format("no room for {} bytes{} in the device's address space", bytes,
                             low ? " below 4 GiB" : "")};
  }
  if (!commit(base, bytes)) {
    pages->give(base);
    return Error{fmt::format("the host refuses {} bytes: {}", bytes, std::strerror(errno))};
  }
  prefer_huge_pages(reinterpret_cast<const void*>(base), bytes);
  used_ += bytes;
  return base;
}

bool Memory::release(u64 address) {
  const std::lock_guard lock(mutex_);
  Ranges& pages = heap_of(address);
  // Decommit before the range can be allocated again.
  const auto piece = pages.find(address);
  if (!piece || piece->base != address) return false;
  textures_->forget(*piece);
  if (shared_.erase(address))
    blank({address, round_up(piece->size, kPage)});
  else
    decommit(address, piece->size);
  pages.give(address);
  used_ -= piece->size;
  return true;
}

std::optional<AddressRange> Memory::find(u64 address) const {
  const std::lock_guard lock(mutex_);
  return heap_of(address).find(address);
}

std::optional<AddressRange> Memory::nearest(u64 address) const {
  const std::lock_guard lock(mutex_);
  const auto a = low_heap_.nearest(address);
  const auto b = high_heap_.nearest(address);
  if (!a || !b) return a ? a : b;
  const auto distance = [address](const AddressRange& range) {
    return address < range.base    ? range.base - address
           : address < range.end() ? 0
                                   : address - range.end();
  };
  return distance(*a) <= distance(*b) ? a : b;
}

bool Memory::is_valid(u64 address, u64 bytes) const {
  const auto piece = find(address);
  return piece && piece->contains(address, bytes);
}

u64 Memory::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

Result<u64> Memory::reserve(u64 bytes, u64 align, u64 hint) {
  const std::lock_guard lock(mutex_);
  const bool at_hint = hint && reserved_.take_at(hint, bytes);
  const u64 base = at_hint ? hint : reserved_.take(bytes, align);
  if (!base) return Error{fmt::format("no room for {} bytes in the device's address space", bytes)};
  return base;
}

bool Memory::unreserve(u64 address) {
  const std::lock_guard lock(mutex_);
  const auto piece = reserved_.give(address);
  if (piece) blank(*piece);
  return piece.has_value();
}

std::optional<AddressRange> Memory::reservation(u64 address) const {
  const std::lock_guard lock(mutex_);
  return reserved_.find(address);
}

bool Memory::map(AddressRange to, int file, u64 offset) {
  return map_file(to, PROT_NONE, file, offset);
}

bool Memory::protect(AddressRange what, Access access) {
  const int protection = access == Access::none   ? PROT_NONE
                         : access == Access::read ? PROT_READ
                                                  : PROT_READ | PROT_WRITE;
  return mprotect(reinterpret_cast<void*>(what.base), what.size, protection) == 0;
}

void Memory::unmap(AddressRange what) {
  textures_->forget(what);
  blank(what);
}

int Memory::share(u64 address) {
  const std::lock_guard lock(mutex_);
  const auto piece = heap_of(address).find(address);
  if (!piece || piece->base != address) return -1;
  const AddressRange pages{address, round_up(piece->size, kPage)};
  const int file = memfd_create("heddle", MFD_CLOEXEC);
  if (file < 0) return -1;
  bool good = ftruncate(file, static_cast<off_t>(pages.size)) == 0;
  for (u64 done = 0; good && done < pages.size;) {
    const auto wrote = pwrite(file, reinterpret_cast<const void*>(address + done),
                              pages.size - done, static_cast<off_t>(done));
    good = wrote > 0;
    done += good ? static_cast<u64>(wrote) : 0;
  }
  if (!good || !map_file(pages, PROT_READ | PROT_WRITE, file, 0)) {
    close(file);
    return -1;
  }
  shared_.insert(address);
  return file;
}

Memory::Kept& Memory::kept_here() {
  static std::atomic<u32> threads{0};
  thread_local const u32 number = threads.fetch_add(1, std::memory_order_relaxed);
  return kept_[number % kept_.size()];
}

/// Moves a window to the free list that all threads share. The lock is held.
void Memory::put_away(u64 window) {
  const u64 base = window / kPage * kPage;
  if (base) (low_.shared.contains(base) ? free_low_shared_ : free_high_shared_)[1].push_back(base);
}

Result<u64> Memory::take_shared(const Region& region, u64 bytes, u32 count) {
  HEDDLE_CHECK(bytes <= kSharedSlot - 2 * kPage);
  const u64 wanted = round_up(bytes, kPage);
  const u64 kept = count == 1 ? kept_here().window.exchange(0, std::memory_order_acquire) : 0;
  if (const u64 its_base = kept / kPage * kPage;
      kept == its_base + wanted / kPage && region.shared.contains(its_base))
    return its_base;
  const std::lock_guard lock(mutex_);
  put_away(kept);
  const bool low = &region == &low_;
  std::vector<u64>& free = (low ? free_low_shared_ : free_high_shared_)[count];
  u64& next = low ? next_low_shared_ : next_high_shared_;
  const auto is_full = [&] { return next + count * kSharedSlot > region.shared.size; };
  if (free.empty() && count == 1 && is_full()) {
    for (Kept& other : kept_) put_away(other.window.exchange(0, std::memory_order_acquire));
  }
  u64 base;
  if (!free.empty()) {
    base = free.back();
    free.pop_back();
  } else {
    if (is_full()) return Error{"too many resident CTAs: no window for shared memory"};
    base = region.shared.base + next + kPage;
    next += count * kSharedSlot;
  }
  // A window keeps its pages when it is given back: the next launch mostly needs as many.
  u64& committed = committed_[base];
  const auto decommit_all = [&] { decommit(base - kPage, count * kSharedSlot); };
  if (committed > wanted) decommit_all();
  for (u32 i = 0; wanted && committed != wanted && i < count; ++i) {
    if (commit_with_neighbours(base + i * kSharedSlot, wanted)) continue;
    decommit_all();
    committed = 0;
    free.push_back(base);
    return Error{"the host refuses memory for shared windows"};
  }
  committed = wanted;
  return base;
}

void Memory::give_shared(const Region& region, u64 base, u64 bytes, u32 count) {
  u64 none = 0;
  if (count == 1 && kept_here().window.compare_exchange_strong(
                        none, base + round_up(bytes, kPage) / kPage, std::memory_order_release))
    return;
  const std::lock_guard lock(mutex_);
  (&region == &low_ ? free_low_shared_ : free_high_shared_)[count].push_back(base);
}

Result<u64> Memory::take_params(u64 bytes, bool low) {
  if (bytes <= kPage) {
    const std::lock_guard lock(mutex_);
    std::vector<u64>& free = free_params_[low];
    if (!free.empty()) {
      const u64 block = free.back();
      free.pop_back();
      return block;
    }
  }
  auto block = allocate(std::max(bytes, kPage), kPage, low);
  if (block.ok() && bytes <= kPage) {  // kept for later launches
    const std::lock_guard lock(mutex_);
    used_ -= kPage;
  }
  return block;
}

void Memory::give_params(u64 base, u64 bytes, bool low) {
  if (bytes > kPage) {
    release(base);
    return;
  }
  const std::lock_guard lock(mutex_);
  free_params_[low].push_back(base);
}

Result<u64> Memory::take_local(const Region& region, u64 bytes) {
  const std::lock_guard lock(mutex_);
  Ranges& pages = &region == &low_ ? low_local_ : high_local_;
  const u64 base = pages.take(std::max(bytes, kPage), kPage);
  if (!base) return Error{fmt::format("no room for {} bytes of local memory", bytes)};
  if (!commit(base, bytes)) {
    pages.give(base);
    return Error{"the host refuses memory for local windows"};
  }
  return base;
}

void Memory::give_local(const Region& region, u64 base) {
  const std::lock_guard lock(mutex_);
  Ranges& pages = &region == &low_ ? low_local_ : high_local_;
  if (const auto piece = pages.give(base)) decommit(base, piece->size);
}

}  // namespace heddle::machine
