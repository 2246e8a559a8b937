// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libnvJitLink.so.12 and .13: the exported functions. Each has its plain name and, for each release
// of the major version, the name that the header of this release gives it (__nvJitLinkCreate_13_0).
// This file is compiled once for each major version, HEDDLE_NVJITLINK_MAJOR.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "nvjitlink/link.h"

using heddle::nvjitlink::Link;

namespace {

/// The release of CUDA whose interface this is: that of Heddle's driver, and the last one of
/// CUDA 12.
constexpr unsigned kMinor = HEDDLE_NVJITLINK_MAJOR >= 13 ? 1 : 9;

// Never destroyed: programs may destroy links while they exit.
struct Links {
  std::mutex mutex;
  std::map<nvJitLinkHandle, std::shared_ptr<Link>> live;
};
Links& links() {
  static Links* const all = new Links;
  return *all;
}

std::shared_ptr<Link> find(nvJitLinkHandle handle) {
  const std::lock_guard lock(links().mutex);
  const auto found = links().live.find(handle);
  return found == links().live.end() ? nullptr : found->second;
}

/// Calls body(link); NVJITLINK_ERROR_INVALID_INPUT when the handle is none.
template <class Body>
nvJitLinkResult with(nvJitLinkHandle handle, Body body) {
  const auto link = find(handle);
  return link ? body(*link) : NVJITLINK_ERROR_INVALID_INPUT;
}

/// The size of a log with its NUL; 0 for an empty log.
nvJitLinkResult size_of(const std::string& log, size_t* size) {
  if (!size) return NVJITLINK_ERROR_NULL_INPUT;
  *size = log.empty() ? 0 : log.size() + 1;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult copy(const std::string& log, char* out) {
  if (!out) return NVJITLINK_ERROR_NULL_INPUT;
  if (!log.empty()) std::memcpy(out, log.c_str(), log.size() + 1);
  return NVJITLINK_SUCCESS;
}

#if HEDDLE_NVJITLINK_MAJOR >= 13
/// LTO-IR is never made.
nvJitLinkResult no_lto_ir(nvJitLinkHandle handle, const void* out) {
  return with(handle, [&](Link&) {
    return out ? NVJITLINK_ERROR_INVALID_INPUT : NVJITLINK_ERROR_NULL_INPUT;
  });
}
#endif

}  // namespace

extern "C" {

#define HEDDLE_API __attribute__((visibility("default"))) nvJitLinkResult

HEDDLE_API nvJitLinkCreate(nvJitLinkHandle* handle, uint32_t count, const char* const* options) {
  if (!handle || (count && !options)) return NVJITLINK_ERROR_NULL_INPUT;
  auto link = std::make_shared<Link>();
  const nvJitLinkResult result = link->create({options, count});
  // Also a link whose options are refused is one: its log says why.
  *handle = reinterpret_cast<nvJitLinkHandle>(link.get());
  const std::lock_guard lock(links().mutex);
  links().live.emplace(*handle, std::move(link));
  return result;
}

HEDDLE_API nvJitLinkDestroy(nvJitLinkHandle* handle) {
  if (!handle) return NVJITLINK_ERROR_NULL_INPUT;
  const std::lock_guard lock(links().mutex);
  if (!links().live.erase(*handle)) return NVJITLINK_ERROR_INVALID_INPUT;
  *handle = nullptr;
  return NVJITLINK_SUCCESS;
}

HEDDLE_API nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType type, const void* data,
                            size_t size, const char* name) {
  return with(handle, [&](Link& link) {
    if (!data || !size) return NVJITLINK_ERROR_NULL_INPUT;
    return link.add(type, {static_cast<const char*>(data), size}, name ? name : "");
  });
}

HEDDLE_API nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType type, const char* path) {
  return with(handle, [&](Link& link) {
    return path ? link.add_file(type, path) : NVJITLINK_ERROR_NULL_INPUT;
  });
}

HEDDLE_API nvJitLinkComplete(nvJitLinkHandle handle) {
  return with(handle, [](Link& link) { return link.complete(); });
}

HEDDLE_API nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t* size) {
  return with(handle, [&](Link& link) {
    std::string cubin;
    if (!size) return NVJITLINK_ERROR_NULL_INPUT;
    const nvJitLinkResult result = link.cubin(cubin);
    *size = cubin.size();
    return result;
  });
}

HEDDLE_API nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void* out) {
  return with(handle, [&](Link& link) {
    std::string cubin;
    if (!out) return NVJITLINK_ERROR_NULL_INPUT;
    const nvJitLinkResult result = link.cubin(cubin);
    std::ranges::copy(cubin, static_cast<char*>(out));
    return result;
  });
}

HEDDLE_API nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t* size) {
  return with(handle, [&](Link& link) {
    std::string ptx;
    if (!size) return NVJITLINK_ERROR_NULL_INPUT;
    const nvJitLinkResult result = link.ptx(ptx);
    *size = result == NVJITLINK_SUCCESS ? ptx.size() + 1 : 0;  // with the NUL
    return result;
  });
}

HEDDLE_API nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char* out) {
  return with(handle, [&](Link& link) {
    std::string ptx;
    if (!out) return NVJITLINK_ERROR_NULL_INPUT;
    const nvJitLinkResult result = link.ptx(ptx);
    if (result == NVJITLINK_SUCCESS) std::memcpy(out, ptx.c_str(), ptx.size() + 1);
    return result;
  });
}

#if HEDDLE_NVJITLINK_MAJOR >= 13
HEDDLE_API nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle handle, size_t* size) {
  return no_lto_ir(handle, size);
}
HEDDLE_API nvJitLinkGetLinkedLTOIR(nvJitLinkHandle handle, void* out) {
  return no_lto_ir(handle, out);
}
#endif

HEDDLE_API nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t* size) {
  return with(handle, [&](Link& link) { return size_of(link.errors(), size); });
}
HEDDLE_API nvJitLinkGetErrorLog(nvJitLinkHandle handle, char* log) {
  return with(handle, [&](Link& link) { return copy(link.errors(), log); });
}
HEDDLE_API nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t* size) {
  return with(handle, [&](Link& link) { return size_of(link.infos(), size); });
}
HEDDLE_API nvJitLinkGetInfoLog(nvJitLinkHandle handle, char* log) {
  return with(handle, [&](Link& link) { return copy(link.infos(), log); });
}

HEDDLE_API nvJitLinkVersion(unsigned* major, unsigned* minor) {
  if (!major || !minor) return NVJITLINK_ERROR_NULL_INPUT;
  *major = HEDDLE_NVJITLINK_MAJOR;
  *minor = kMinor;
  return NVJITLINK_SUCCESS;
}

// Programs are built with the names of their release, so there are names for releases to come.
#define HEDDLE_ALIAS(name, release) \
  __attribute__((                   \
      visibility("default"),        \
      alias("nvJitLink" #name))) decltype(nvJitLink##name) __nvJitLink##name##_##release;
#define HEDDLE_ALIASES(release)             \
  HEDDLE_ALIAS(Create, release)             \
  HEDDLE_ALIAS(Destroy, release)            \
  HEDDLE_ALIAS(AddData, release)            \
  HEDDLE_ALIAS(AddFile, release)            \
  HEDDLE_ALIAS(Complete, release)           \
  HEDDLE_ALIAS(GetLinkedCubinSize, release) \
  HEDDLE_ALIAS(GetLinkedCubin, release)     \
  HEDDLE_ALIAS(GetLinkedPtxSize, release)   \
  HEDDLE_ALIAS(GetLinkedPtx, release)       \
  HEDDLE_ALIAS(GetErrorLogSize, release)    \
  HEDDLE_ALIAS(GetErrorLog, release)        \
  HEDDLE_ALIAS(GetInfoLogSize, release)     \
  HEDDLE_ALIAS(GetInfoLog, release)
#define HEDDLE_ALIASES_OF_LTOIR(release)    \
  HEDDLE_ALIAS(GetLinkedLTOIRSize, release) \
  HEDDLE_ALIAS(GetLinkedLTOIR, release)
#define HEDDLE_EACH_RELEASE(of, major)                                                \
  of(major##_0) of(major##_1) of(major##_2) of(major##_3) of(major##_4) of(major##_5) \
      of(major##_6) of(major##_7) of(major##_8) of(major##_9)

#if HEDDLE_NVJITLINK_MAJOR >= 13
HEDDLE_EACH_RELEASE(HEDDLE_ALIASES, 13)
HEDDLE_EACH_RELEASE(HEDDLE_ALIASES_OF_LTOIR, 13)
#else
HEDDLE_EACH_RELEASE(HEDDLE_ALIASES, 12)
#endif

}  // extern "C"
