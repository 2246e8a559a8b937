// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See multicast.h.
#include "driver/core/memory/multicast.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/tables.h"
#include "driver/core/log.h"
#include "driver/core/memory/ipc.h"
#include "driver/core/memory/virtual_memory.h"
#include "driver/core/process.h"

namespace heddle::driver {
namespace {

constexpr u64 kMulticastMagic = 0x68656464'6c654d43;  // "heddleMC"
constexpr u32 kMostBindings = 512;

}  // namespace

struct Multicast::Binding {
  u64 number;  ///< unique in the object
  int device;
  u64 offset, bytes;
  SharedHandle memory;  ///< with the offset; without a file, `address` counts
  u64 address;
};

struct Multicast::Shared {
  u64 magic;
  CUmulticastObjectProp properties;
  pthread_mutex_t mutex;
  // The mutex guards the members below.
  u64 team;  ///< a bit for each device that has been added
  u64 last_number;
  u32 count;
  Binding bindings[kMostBindings];
};

/// Locks the object. A process that dies while it holds the lock does not block the others.
class Multicast::Guard {
 public:
  explicit Guard(Shared& shared) : mutex_(&shared.mutex) {
    if (pthread_mutex_lock(mutex_) == EOWNERDEAD) pthread_mutex_consistent(mutex_);
  }
  ~Guard() { pthread_mutex_unlock(mutex_); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  pthread_mutex_t* const mutex_;
};

class Multicast::View {
 public:
  /// Maps a part of a file. Null on an error of the host.
  static std::shared_ptr<View> create(int file, u64 offset, u64 bytes, PhysicalPtr memory) {
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
    if (at == MAP_FAILED) return nullptr;
    return std::make_shared<View>(reinterpret_cast<u64>(at), bytes, std::move(memory));
  }
  /// Maps memory that another process has bound. Null when that is not possible.
  static std::shared_ptr<View> open(const Binding& binding) {
    const int file = open_shared(binding.memory);
    if (file < 0) return nullptr;
    auto view = create(file, binding.memory.offset, binding.bytes, nullptr);
    close(file);
    return view;
  }
  /// `mapped`: bytes to unmap at the end; 0: the view does not own the mapping.
  View(u64 base, u64 mapped, PhysicalPtr memory)
      : base_(base), mapped_(mapped), memory_(std::move(memory)) {}
  ~View() {
    if (mapped_) munmap(reinterpret_cast<void*>(base_), mapped_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  u64 base() const { return base_; }

 private:
  const u64 base_, mapped_;
  const PhysicalPtr memory_;  ///< keeps bound memory alive
};

Multicast::Shared* Multicast::attach(int file) {
  void* const at = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : static_cast<Shared*>(at);
}

MulticastPtr Multicast::create(const CUmulticastObjectProp& properties) {
  const int file = memfd_create("heddle-multicast", MFD_CLOEXEC);
  Shared* const shared = file >= 0 && ftruncate(file, sizeof(Shared)) == 0 ? attach(file) : nullptr;
  if (!shared) {
    if (file >= 0) close(file);
    return nullptr;
  }
  shared->magic = kMulticastMagic;
  shared->properties = properties;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&shared->mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return MulticastPtr(new Multicast(file, shared));
}

MulticastPtr Multicast::import(int file) {
  struct stat status{};
  u64 magic = 0;
  if (fstat(file, &status) != 0 || status.st_size != sizeof(Shared) ||
      pread(file, &magic, sizeof magic, 0) != sizeof magic || magic != kMulticastMagic) {
    return nullptr;
  }
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
  Shared* const shared = copy >= 0 ? attach(copy) : nullptr;
  if (!shared) {
    if (copy >= 0) close(copy);
    return nullptr;
  }
  return MulticastPtr(new Multicast(copy, shared));
}

Multicast::~Multicast() {
  munmap(shared_, sizeof(Shared));
  close(file_);
}

u64 Multicast::size() const { return shared_->properties.size; }
bool Multicast::is_shareable() const { return shared_->properties.handleTypes != 0; }
int Multicast::export_file() const { return fcntl(file_, F_DUPFD_CLOEXEC, 0); }

CUresult Multicast::add(Device& device) {
  const Guard guard(*shared_);
  const u64 bit = u64{1} << device.ordinal;
  const auto members = static_cast<unsigned>(std::popcount(shared_->team));
  if (members == shared_->properties.numDevices || (shared_->team & bit)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  shared_->team |= bit;
  return CUDA_SUCCESS;
}

// Polls, because another process may add the last device.
void Multicast::wait_for_team(const char* caller) const {
  const unsigned wanted = shared_->properties.numDevices;
  const auto begin = std::chrono::steady_clock::now();
  for (bool told = false;;) {
    unsigned members;
    {
      const Guard guard(*shared_);
      members = static_cast<unsigned>(std::popcount(shared_->team));
    }
    if (members == wanted) return;
    if (!told && std::chrono::steady_clock::now() - begin > std::chrono::seconds(1)) {
      told = true;
      say("{} waits until all {} devices of the multicast object have been added; {} have been "
          "added so far",
          caller, wanted, members);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

bool Multicast::in_object(u64 offset, u64 bytes) const {
  return bytes && (offset | bytes) % kGranularity == 0 && offset <= size() &&
         bytes <= size() - offset;
}

CUresult Multicast::bind(u64 offset, u64 bytes, const MulticastSource& source) {
  if (!in_object(offset, bytes)) return CUDA_ERROR_INVALID_VALUE;
  const bool shares = source.memory && source.memory->properties().requestedHandleTypes;
  if (is_shareable() && !shares) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(mutex_);
  {
    const Guard guard(*shared_);
    const int device = source.device->ordinal;
    if (!(shared_->team >> device & 1)) return CUDA_ERROR_INVALID_DEVICE;
    for (u32 i = 0; i < shared_->count; ++i) {
      const Binding& other = shared_->bindings[i];
      if (other.device == device && offset < other.offset + other.bytes &&
          other.offset < offset + bytes) {
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
    if (shared_->count == kMostBindings) return CUDA_ERROR_OUT_OF_MEMORY;
    Binding binding{.number = shared_->last_number + 1,
                    .device = device,
                    .offset = offset,
                    .bytes = bytes,
                    .memory = {.process = getpid()},
                    .address = source.address};
    std::shared_ptr<View> view;
    if (source.memory) {
      binding.memory = handle_of(source.memory->file());
      binding.memory.offset = source.offset;
      view = View::create(source.memory->file(), source.offset, bytes, source.memory);
      if (!view) return CUDA_ERROR_OUT_OF_MEMORY;
    } else {
      view = std::make_shared<View>(source.address, 0, nullptr);
    }
    views_.emplace(binding.number, std::move(view));
    shared_->last_number = binding.number;
    shared_->bindings[shared_->count++] = binding;
  }
  publish_all();
  return CUDA_SUCCESS;
}

CUresult Multicast::unbind(Device& device, u64 offset, u64 bytes) {
  if (!in_object(offset, bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<View> gone;
  {
    const std::lock_guard lock(mutex_);
    {
      const Guard guard(*shared_);
      if (!(shared_->team >> device.ordinal & 1)) return CUDA_ERROR_INVALID_DEVICE;
      u32 i = 0;
      for (; i < shared_->count; ++i) {
        const Binding& each = shared_->bindings[i];
        if (each.device == device.ordinal && each.offset == offset && each.bytes == bytes) break;
      }
      if (i == shared_->count) return CUDA_ERROR_INVALID_VALUE;
      if (const auto found = views_.find(shared_->bindings[i].number); found != views_.end()) {
        gone = std::move(found->second);
        views_.erase(found);
      }
      shared_->bindings[i] = shared_->bindings[--shared_->count];
    }
    publish_all();
  }
  for (const auto& context : context_tables().contexts.all()) context->synchronize();
  return CUDA_SUCCESS;
}

/// The part of a mapping from offset `begin` to `end`. No binding begins or ends inside it.
machine::Multimem::Part Multicast::part(const Mapping& mapping, u64 begin, u64 end) const {
  machine::Multimem::Part part;
  part.addresses = {mapping.addresses.base + (begin - mapping.offset), end - begin};
  part.is_writable = mapping.access == machine::Memory::Access::write;
  if (mapping.access == machine::Memory::Access::none) {
    part.why_missing = "cuMemSetAccess has given no access to these multimem addresses";
    return part;
  }
  for (u64 rest = shared_->team; rest; rest &= rest - 1) {
    const int device = std::countr_zero(rest);
    const char* why = "has no memory bound to its multicast object";
    const u64 bases = part.bases.size();
    for (u32 i = 0; i < shared_->count; ++i) {
      const Binding& binding = shared_->bindings[i];
      if (binding.device != device || begin - binding.offset >= binding.bytes) continue;
      const auto view = views_.find(binding.number);
      if (view == views_.end()) {
        why = "has bound memory of a process that has ended or does not share it";
      } else {
        part.bases.push_back(view->second->base() + (begin - binding.offset));
      }
    }
    if (part.bases.size() == bases) {
      part.bases.clear();
      part.why_missing = fmt::format("device {} {} at offset {:#x}", device, why, begin);
      return part;
    }
  }
  return part;
}

/// The caller holds both locks.
void Multicast::publish(const Mapping& mapping) const {
  const u64 begin = mapping.offset, end = begin + mapping.addresses.size;
  std::set<u64> cuts = {begin, end};
  for (u32 i = 0; i < shared_->count; ++i) {
    const Binding& binding = shared_->bindings[i];
    for (const u64 cut : {binding.offset, binding.offset + binding.bytes}) {
      if (begin < cut && cut < end) cuts.insert(cut);
    }
  }
  std::vector<machine::Multimem::Part> parts;
  for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at) {
    parts.push_back(part(mapping, *at, *std::next(at)));
  }
  device_memory().multimem().replace(mapping.addresses, std::move(parts));
}

/// The caller holds this process' lock. Memory that other processes have unbound stays mapped here,
/// because kernels may use it.
void Multicast::publish_all() {
  const Guard guard(*shared_);
  for (u32 i = 0; i < shared_->count; ++i) {
    const Binding& binding = shared_->bindings[i];
    if (views_.contains(binding.number)) continue;
    if (auto view = View::open(binding)) views_.emplace(binding.number, std::move(view));
  }
  for (const auto& [address, mapping] : mappings_) publish(mapping);
}

void Multicast::refresh() {
  const std::lock_guard lock(mutex_);
  publish_all();
}

void Multicast::map(machine::AddressRange addresses, u64 offset) {
  const std::lock_guard lock(mutex_);
  mappings_[addresses.base] = {addresses, offset};
  publish_all();
}

void Multicast::set_access(u64 address, machine::Memory::Access access) {
  const std::lock_guard lock(mutex_);
  const auto found = mappings_.find(address);
  if (found == mappings_.end()) return;
  found->second.access = access;
  publish_all();
}

void Multicast::unmap(u64 address) {
  const std::lock_guard lock(mutex_);
  const auto found = mappings_.find(address);
  if (found == mappings_.end()) return;
  device_memory().multimem().replace(found->second.addresses, {});
  mappings_.erase(found);
}

}  // namespace heddle::driver
