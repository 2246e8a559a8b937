// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System queries; units, of which there are none, and excluded GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "base/cuda_version.h"
#include "nvml/bodies.h"
#include "nvml/core/library.h"

namespace heddle::nvml {

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  return give_text(kDisplayDriverVersion, version, length);
}

// The major version of CUDA stands in front of the driver's.
nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
  return give_text(fmt::format("{}.{}", kCudaVersion / 1000, kDisplayDriverVersion), version,
                   length);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* cudaDriverVersion) {
  *cudaDriverVersion = kCudaVersion;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* cudaDriverVersion) {
  return nvmlSystemGetCudaDriverVersion(cudaDriverVersion);
}

// The command's first word, cut to the buffer's length.
nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char* name, unsigned int length) {
  if (!length) return NVML_ERROR_INVALID_ARGUMENT;
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
  if (!file) return NVML_ERROR_NOT_FOUND;
  std::string command;
  std::getline(file, command, '\0');
  command.resize(std::min<std::size_t>(command.size(), length - 1));
  return give_text(command, name, length);
}

nvmlReturn_t nvmlUnitGetCount(unsigned int* unitCount) {
  *unitCount = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGetExcludedDeviceCount(unsigned int* deviceCount) {
  *deviceCount = 0;
  return NVML_SUCCESS;
}

}  // namespace heddle::nvml
