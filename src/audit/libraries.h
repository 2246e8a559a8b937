// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which library a program gets.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace heddle::audit {

/// The libraries in the folder of this one stand in for the vendor's of the same name. Those in its
/// folder `wrappers` (NVRTC, libNVVM, CUPTI) stand in front of the vendor's: such a wrapper depends
/// on a library of the name "heddle-real-libnvrtc.so.13", which is the vendor's file.
class Libraries {
 public:
  Libraries();
  /// The path to load for a name or path. The result is `name`, or lives as long as this object.
  const char* path_for(const char* name);

 private:
  using Files = std::unordered_map<std::string, std::string>;  ///< name and path

  std::string wrapper_folder_;
  Files libraries_, wrappers_;
  Files real_;  ///< the vendor's files behind the wrappers in use
};

}  // namespace heddle::audit
