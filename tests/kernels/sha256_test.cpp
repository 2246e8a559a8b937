// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 against the published test vectors, and against a plain host implementation.
#include <bit>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Sha256, "sha256");

// The message with its padding, `blocks` times 64 bytes.
std::vector<uint8_t> padded(const std::string& message, size_t blocks) {
  std::vector<uint8_t> bytes(message.begin(), message.end());
  bytes.push_back(0x80);
  bytes.resize(blocks * 64);
  const uint64_t bits = message.size() * 8;
  for (int i = 0; i < 8; ++i) bytes[blocks * 64 - 1 - i] = uint8_t(bits >> 8 * i);
  return bytes;
}

TEST_P(Sha256, PublishedVectors) {
  const std::string messages[] = {"abc", "", "The quick brown fox jumps over the lazy dog"};
  std::vector<uint8_t> bytes;
  for (const std::string& message : messages) {
    const auto block = padded(message, 1);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  Buffer device(bytes);
  Buffer<uint32_t> digests(24);
  launch("sha256", {{1}, {32}}, device, 1, digests, 3);
  EXPECT_SAME(digests, {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                        0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad,  // abc
                        0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924,
                        0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855,  // empty
                        0xd7a8fbb3, 0x07d78094, 0x69ca9abc, 0xb0082e4f,
                        0x8d5651e4, 0x6d3cdb76, 0x2d02d0bf, 0x37c9e592});
}

TEST_P(Sha256, TwoBlocks) {
  const std::string message = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> expected;
  for (int copy = 0; copy < 70; ++copy) {
    const auto blocks = padded(message, 2);
    bytes.insert(bytes.end(), blocks.begin(), blocks.end());
    for (uint32_t word : {0x248d6a61u, 0xd20638b8, 0xe5c02693, 0x0c3e6039u, 0xa33ce459, 0x64ff2167u,
                          0xf6ecedd4, 0x19db06c1u}) {
      expected.push_back(word);
    }
  }
  for (const Shape& shape : {Shape{{3}, {32}}, Shape{{2}, {35}}, Shape{{70}, {1}}}) {
    SCOPED_TRACE(shape);
    Buffer device(bytes);
    Buffer<uint32_t> digests(expected.size());
    launch("sha256", shape, device, 2, digests, 70);
    EXPECT_SAME(digests, expected);
  }
}

}  // namespace
}  // namespace heddle::kernels
