// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's messages, as a program reads them. Driver API 6.36.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "client.h"

namespace {

using testing::HasSubstr;

class Logs : public InContext {
 protected:
  /// Makes the driver log a message.
  static void provoke(const char* text = ".version 8.0\n.target sm_80\n.bogus\n") {
    CUmodule module = nullptr;
    testing::internal::CaptureStderr();
    EXPECT_NE(cuModuleLoadData(&module, text), CUDA_SUCCESS);
    testing::internal::GetCapturedStderr();
  }
};

TEST_F(Logs, IteratorAdvances) {
  CUlogIterator at = 0;
  ASSERT_OK(cuLogsCurrent(&at, 0));
  char text[8192];
  size_t size = sizeof text;
  EXPECT_OK(cuLogsDumpToMemory(&at, text, &size, 0));
  EXPECT_EQ(size, 0u);
  provoke();
  size = sizeof text;
  EXPECT_OK(cuLogsDumpToMemory(&at, text, &size, 0));
  EXPECT_EQ(std::strlen(text), size);
  EXPECT_THAT(text, HasSubstr("bogus"));
  size = sizeof text;
  EXPECT_OK(cuLogsDumpToMemory(&at, text, &size, 0));
  EXPECT_EQ(size, 0u) << "nothing new";
  size = sizeof text;
  EXPECT_OK(cuLogsDumpToMemory(nullptr, text, &size, 0));
  EXPECT_THAT(text, HasSubstr("bogus")) << "all of it";
  const std::string path = testing::TempDir() + "/heddle_log.txt";
  EXPECT_OK(cuLogsDumpToFile(nullptr, path.c_str(), 0));
  std::ifstream file(path);
  EXPECT_THAT((std::string{std::istreambuf_iterator<char>(file), {}}), HasSubstr("bogus"));
}

TEST_F(Logs, OldMessagesGiveWay) {
  CUlogIterator at = 0;
  ASSERT_OK(cuLogsCurrent(&at, 0));
  for (int i = 0; i < 500; ++i) provoke();
  std::string text(30000, ' ');
  size_t size = text.size();
  EXPECT_OK(cuLogsDumpToMemory(&at, text.data(), &size, 0));
  EXPECT_LE(size, 26000u);
  text.resize(size);
  EXPECT_TRUE(text.starts_with("[warning]")) << text.substr(0, 100);
  EXPECT_TRUE(text.find("bogus") != text.npos);
  at = 0;
  size = 4;
  EXPECT_EQ(cuLogsDumpToMemory(&at, text.data(), &size, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(size, 0u);
}

TEST_F(Logs, CallbacksAreTold) {
  std::string told;
  CUlogsCallbackHandle handle = nullptr;
  ASSERT_OK(cuLogsRegisterCallback(
      [](void* data, CUlogLevel level, char* message, size_t length) {
        EXPECT_EQ(level, CU_LOG_LEVEL_ERROR);
        static_cast<std::string*>(data)->append(message, length);
        int count = 0;
        EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_PERMITTED);
      },
      &told, &handle));
  provoke();
  EXPECT_THAT(told, HasSubstr("bogus"));
  EXPECT_OK(cuLogsUnregisterCallback(handle));
  EXPECT_EQ(cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
  told.clear();
  provoke();
  EXPECT_EQ(told, "");
  EXPECT_EQ(cuLogsRegisterCallback(nullptr, nullptr, &handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLogsCurrent(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
