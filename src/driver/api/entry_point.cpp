// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points found at run time. Driver API 6.33. A caller names the function without its _vN and
// the CUDA version that the caller was built for. It gets the newest symbol that this version has.
#include "driver/core/entry_point.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/cuda_version.h"
#include "driver/api.h"
#include "driver/core/log.h"
#include "driver/core/private_interface.h"
#include "driver/core/trace.h"

namespace heddle::driver {
namespace {

struct ByName {
  bool operator()(const EntryPoint& entry, const char* name) const {
    return std::strcmp(entry.name, name) < 0;
  }
  bool operator()(const char* name, const EntryPoint& entry) const {
    return std::strcmp(name, entry.name) < 0;
  }
};

struct Found {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
};

Found find(const char* name, int version, bool per_thread) {
  const auto table = entry_points();
  const auto [first, last] = std::equal_range(table.begin(), table.end(), name, ByName{});
  if (first == last) return {};
  Found found{nullptr, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT};
  for (auto entry = first; entry != last && entry->version <= version; ++entry) {
    const bool twin = per_thread && entry->twin && entry->twin_version <= version;
    found = {twin ? entry->twin : entry->function, CU_GET_PROC_ADDRESS_SUCCESS};
  }
  return found;
}

}  // namespace
}  // namespace heddle::driver

using namespace heddle::driver;

CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* symbolStatus) {
  constexpr cuuint64_t kFlags =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !pfn || (flags & ~kFlags) || flags == kFlags) return CUDA_ERROR_INVALID_VALUE;
  if (cudaVersion > heddle::kCudaVersion) return CUDA_ERROR_INVALID_VALUE;
  const auto found =
      find(symbol, cudaVersion, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  *pfn = found.function;
  if (symbolStatus) *symbolStatus = found.status;
  return found.function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, nullptr);
}

// The vendor's libraries get private tables of the driver by this function. Heddle implements
// documented interfaces only: a message names the library that asked and what the user can do
// instead. NVRTC asks too, but works without the tables, so there is no message for it.
CUresult cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  static std::atomic<bool> said{false};
  if (ppExportTable) *ppExportTable = nullptr;
  Dl_info caller{};
  const bool known = dladdr(__builtin_return_address(0), &caller) && caller.dli_fname;
  const char* who = known ? caller.dli_fname : "this program";
  if (!std::strstr(who, "libnvrtc") && !said.exchange(true)) {
    Dl_info self{};
    const bool found =
        dladdr(reinterpret_cast<const void*>(&cuGetExportTable), &self) && self.dli_fname;
    const std::string_view path = found ? self.dli_fname : "";
    say("{} asked the driver for a private interface of NVIDIA's libraries, which Heddle does not "
        "have; {}",
        who, what_helps(who, path.substr(0, path.rfind('/') + 1)));
  }
  if (!traces_api()) return CUDA_ERROR_NOT_FOUND;
  return trace_call("cuGetExportTable",
                    {{"ppExportTable", ppExportTable}, {"pExportTableId", pExportTableId}},
                    CUDA_ERROR_NOT_FOUND);
}
