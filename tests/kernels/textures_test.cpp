// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Textures and surfaces in whole kernels, against the formulas of the CUDA programming guide.
#include <algorithm>
#include <array>
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Textures, "textures");

class Array {
 public:
  Array(CUDA_ARRAY3D_DESCRIPTOR shape, const void* texels, size_t element) {
    succeeded(cuArray3DCreate_v2(&array_, &shape), "cuArray3DCreate");
    fill(array_, shape, texels, element);
  }
  ~Array() { succeeded(cuArrayDestroy(array_), "cuArrayDestroy"); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  static void fill(CUarray array, const CUDA_ARRAY3D_DESCRIPTOR& shape, const void* texels,
                   size_t element) {
    succeeded(copy(array, shape, const_cast<void*>(texels), element, true), "cuMemcpy3D");
  }
  template <class T>
  static std::vector<T> read(CUarray array, const CUDA_ARRAY3D_DESCRIPTOR& shape) {
    std::vector<T> texels(shape.Width * std::max<size_t>(shape.Height, 1) *
                          std::max<size_t>(shape.Depth, 1));
    succeeded(copy(array, shape, texels.data(), sizeof(T), false), "cuMemcpy3D");
    return texels;
  }
  CUDA_RESOURCE_DESC resource() const {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array_;
    return resource;
  }
  CUarray handle() const { return array_; }

 private:
  static CUresult copy(CUarray array, const CUDA_ARRAY3D_DESCRIPTOR& shape, void* host,
                       size_t element, bool in) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = in ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    copy.dstMemoryType = in ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    copy.srcHost = copy.dstHost = host;
    copy.srcArray = copy.dstArray = array;
    copy.WidthInBytes = shape.Width * element;
    copy.Height = std::max<size_t>(shape.Height, 1);
    copy.Depth = std::max<size_t>(shape.Depth, 1);
    return cuMemcpy3D_v2(&copy);
  }

  CUarray array_ = nullptr;
};

struct Texture {
  Texture(const CUDA_RESOURCE_DESC& resource, CUaddress_mode mode, CUfilter_mode filter,
          unsigned flags = 0, float most = 0) {
    CUDA_TEXTURE_DESC sampling{};
    std::fill_n(sampling.addressMode, 3, mode);
    sampling.filterMode = sampling.mipmapFilterMode = filter;
    sampling.flags = flags;
    sampling.maxMipmapLevelClamp = most;
    succeeded(cuTexObjectCreate(&handle, &resource, &sampling, nullptr), "cuTexObjectCreate");
  }
  ~Texture() { succeeded(cuTexObjectDestroy(handle), "cuTexObjectDestroy"); }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  CUtexObject handle = 0;
};

struct Surface {
  explicit Surface(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array;
    succeeded(cuSurfObjectCreate(&handle, &resource), "cuSurfObjectCreate");
  }
  ~Surface() { succeeded(cuSurfObjectDestroy(handle), "cuSurfObjectDestroy"); }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  CUsurfObject handle = 0;
};

constexpr auto kClamp = CU_TR_ADDRESS_MODE_CLAMP;
constexpr auto kPoint = CU_TR_FILTER_MODE_POINT;
constexpr auto kLinear = CU_TR_FILTER_MODE_LINEAR;
constexpr unsigned kNormalized = CU_TRSF_NORMALIZED_COORDINATES;

/// The texel below a coordinate, and the weight of the next one, in 256 steps.
struct Place {
  int first;
  double weight;
};
Place place_of(double coordinate) {
  const double steps = std::floor(coordinate * 256 - 128 + 0.5);
  const double first = std::floor(steps / 256);
  return {static_cast<int>(first), steps / 256 - first};
}

/// `texel(x, y)` blended.
template <class Texel>
double bilinear(double x, double y, Texel texel) {
  const auto [x0, a] = place_of(x);
  const auto [y0, b] = place_of(y);
  return (1 - a) * (1 - b) * texel(x0, y0) + a * (1 - b) * texel(x0 + 1, y0) +
         (1 - a) * b * texel(x0, y0 + 1) + a * b * texel(x0 + 1, y0 + 1);
}

int wrap(int i, int n) { return ((i % n) + n) % n; }
int clamp(int i, int n) { return std::clamp(i, 0, n - 1); }

void expect_near(const std::vector<float>& actual, const std::vector<double>& expected,
                 double most) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], most) << "element " << i;
}

Shape plane(int width, int height) {
  const auto blocks = [](int n, int block) {
    return static_cast<unsigned>((n + block - 1) / block);
  };
  return {{blocks(width, 16), blocks(height, 8)}, {16, 8}};
}

TEST_P(Textures, RotatedImage) {
  constexpr int kWidth = 61, kHeight = 40;
  const auto texels = random_values<float>(kWidth * kHeight, 1);
  const Array array({kWidth, kHeight, 0, CU_AD_FORMAT_FLOAT, 1, 0}, texels.data(), 4);
  const Texture image(array.resource(), CU_TR_ADDRESS_MODE_WRAP, kLinear, kNormalized);
  Buffer<float> out(texels.size());
  const float cosine = std::cos(0.5f), sine = std::sin(0.5f);
  launch("rotate", plane(kWidth, kHeight), image.handle, kWidth, kHeight, cosine, sine, out);
  std::vector<double> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const float u = static_cast<float>(x) / kWidth - 0.5f;
      const float v = static_cast<float>(y) / kHeight - 0.5f;
      const double at_u = u * cosine - v * sine + 0.5f, at_v = v * cosine + u * sine + 0.5f;
      expected.push_back(bilinear(
          (at_u - std::floor(at_u)) * kWidth, (at_v - std::floor(at_v)) * kHeight,
          [&](int i, int j) {
            return texels[static_cast<size_t>(wrap(j, kHeight) * kWidth + wrap(i, kWidth))];
          }));
    }
  }
  expect_near(out.values(), expected, 1e-6);
}

TEST_P(Textures, SeparableConvolution) {
  constexpr int kWidth = 50, kHeight = 33;
  const auto texels = random_values<float>(kWidth * kHeight, 2);
  const std::vector<float> taps = {1, 6, 15, 20, 15, 6, 1};
  const Array array({kWidth, kHeight, 0, CU_AD_FORMAT_FLOAT, 1, 0}, texels.data(), 4);
  const Texture image(array.resource(), kClamp, kPoint);
  Buffer weights(taps);
  Buffer<float> out(texels.size());
  for (const auto [dx, dy] : {std::pair{1, 0}, {0, 1}}) {
    launch("convolve", plane(kWidth, kHeight), image.handle, kWidth, kHeight, weights, dx, dy, out);
    std::vector<float> expected;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        float sum = 0;
        for (int i = -3; i <= 3; ++i) {
          const int at = clamp(y + i * dy, kHeight) * kWidth + clamp(x + i * dx, kWidth);
          sum += texels[static_cast<size_t>(at)] * taps[static_cast<size_t>(i + 3)];
        }
        expected.push_back(sum);
      }
    }
    EXPECT_SAME(out, expected);
  }
}

TEST_P(Textures, SliceOfAVolume) {
  constexpr int kSide = 16, kDepth = 5;
  const auto texels = random_values<uint8_t>(kSide * kSide * kDepth, 3);
  const Array array({kSide, kSide, kDepth, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, texels.data(), 1);
  const Texture volume(array.resource(), CU_TR_ADDRESS_MODE_WRAP, kLinear, kNormalized);
  Buffer<float> out(40 * 40);
  constexpr float kW = 0.3f;
  launch("slice", plane(40, 40), volume.handle, 40, 40, kW, out);
  std::vector<double> expected;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) {
      const auto [z0, c] = place_of(double{kW} * kDepth);
      const auto in_plane = [&](int z) {
        return bilinear(static_cast<float>(x) / 40 * kSide, static_cast<float>(y) / 40 * kSide,
                        [&](int i, int j) {
                          const int at =
                              (wrap(z, kDepth) * kSide + wrap(j, kSide)) * kSide + wrap(i, kSide);
                          return texels[static_cast<size_t>(at)] / 255.0;
                        });
      };
      expected.push_back((1 - c) * in_plane(z0) + c * in_plane(z0 + 1));
    }
  }
  expect_near(out.values(), expected, 1e-6);
}

TEST_P(Textures, Layers) {
  constexpr int kWidth = 20, kHeight = 12, kLayers = 3;
  const auto texels = random_values<float>(kWidth * kHeight * kLayers, 4);
  const Array array({kWidth, kHeight, kLayers, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED},
                    texels.data(), 4);
  const Texture layers(array.resource(), kClamp, kPoint);
  Buffer<float> out(kWidth * kHeight);
  for (int layer = 0; layer < kLayers; ++layer) {
    launch("negate_layers", plane(kWidth, kHeight), layers.handle, kWidth, kHeight, layer, out);
    EXPECT_SAME(out, tabulate(kWidth * kHeight, [&](size_t i) {
                  return -texels[static_cast<size_t>(layer) * kWidth * kHeight + i] +
                         static_cast<float>(layer);
                }));
  }
}

TEST_P(Textures, Cubes) {
  constexpr int kWidth = 8;
  constexpr size_t kTexels = 6 * kWidth * kWidth;
  const auto texels = random_values<float>(2 * kTexels, 5);
  const Array one({kWidth, kWidth, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}, texels.data(),
                  4);
  const Array two(
      {kWidth, kWidth, 12, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED},
      texels.data(), 4);
  const Texture cube(one.resource(), kClamp, kPoint, kNormalized);
  const Texture cubes(two.resource(), kClamp, kPoint, kNormalized);
  Buffer<float> out(kTexels);
  for (int layer = -1; layer < 2; ++layer) {
    const auto handle = layer < 0 ? cube.handle : cubes.handle;
    launch("look_around", plane(kWidth, kWidth), handle, kWidth, layer, out);
    EXPECT_SAME(out, tabulate(kTexels, [&](size_t i) {
                  return texels[static_cast<size_t>(std::max(layer, 0)) * kTexels + i];
                }));
  }
}

TEST_P(Textures, Pyramid) {
  constexpr int kSide = 64, kLevels = 7;
  auto texels = random_values<float>(kSide * kSide, 6);
  const CUDA_ARRAY3D_DESCRIPTOR shape{
      kSide, kSide, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  auto& mipmap = resource.res.mipmap.hMipmappedArray;
  ASSERT_TRUE(succeeded(cuMipmappedArrayCreate(&mipmap, &shape, kLevels), "mipmap"));
  std::vector<CUarray> levels(kLevels);
  for (unsigned i = 0; i < kLevels; ++i)
    succeeded(cuMipmappedArrayGetLevel(&levels[i], mipmap, i), "level");
  Array::fill(levels[0], shape, texels.data(), 4);
  std::vector<std::vector<float>> expected_levels = {texels};
  for (size_t level = 1; level < kLevels; ++level) {
    const int side = kSide >> level;
    const Surface from(levels[level - 1]), to(levels[level]);
    launch("halve", plane(side, side), from.handle, to.handle, side, side);
    const auto& below = expected_levels.back();
    std::vector<float> expected;
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        float sum = 0;
        for (int i = 0; i < 4; ++i)
          sum += below[static_cast<size_t>((2 * y + i / 2) * 2 * side + 2 * x + i % 2)];
        expected.push_back(sum * 0.25f);
      }
    }
    const auto extent = static_cast<size_t>(side);
    EXPECT_SAME(Array::read<float>(levels[level], {extent, extent, 0, CU_AD_FORMAT_FLOAT, 1, 0}),
                expected);
    expected_levels.push_back(expected);
  }

  const Texture pyramid(resource, kClamp, kLinear, kNormalized, kLevels - 1);
  const std::vector<float> asked = {0, 0.5f, 1, 1.75f, 3, 5.25f, 6, 9};
  Buffer detail(asked);
  Buffer<float> by_level(asked.size()), by_gradient(asked.size());
  constexpr float kU = 0.3125f, kV = 0.71875f;
  launch("look_at_levels", {{1}, {32}}, pyramid.handle, detail, static_cast<int>(asked.size()), kU,
         kV, by_level, by_gradient);
  std::vector<double> expected;
  for (const float level : asked) {
    const double lambda = std::min<double>(level, kLevels - 1);
    const auto at = [&](int number) {
      const int side = kSide >> number;
      return bilinear(double{kU} * side, double{kV} * side, [&](int x, int y) {
        return expected_levels[static_cast<size_t>(number)]
                              [static_cast<size_t>(clamp(y, side) * side + clamp(x, side))];
      });
    };
    const int fine = static_cast<int>(std::floor(lambda)), coarse = std::min(fine + 1, kLevels - 1);
    const double weight = lambda - fine;
    expected.push_back((1 - weight) * at(fine) + weight * at(coarse));
  }
  expect_near(by_level.values(), expected, 1e-6);
  expect_near(by_gradient.values(), expected, 1e-6);
  succeeded(cuMipmappedArrayDestroy(mipmap), "cuMipmappedArrayDestroy");
}

TEST_P(Textures, Gather) {
  constexpr int kWidth = 9, kHeight = 6;
  const auto texels = random_values<float>(kWidth * kHeight * 4, 7);
  const Array array({kWidth, kHeight, 0, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_TEXTURE_GATHER},
                    texels.data(), 16);
  const Texture image(array.resource(), kClamp, kPoint);
  using Four = std::array<float, 4>;
  Buffer<Four> out(kWidth * kHeight);
  for (int channel = 0; channel < 4; ++channel) {
    launch("gather", plane(kWidth, kHeight), image.handle, kWidth, kHeight, channel, out);
    std::vector<Four> expected;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const auto texel = [&](int i, int j) {
          const int at = clamp(y + j, kHeight) * kWidth + clamp(x + i, kWidth);
          return texels[static_cast<size_t>(at * 4 + channel)];
        };
        expected.push_back({texel(0, 1), texel(1, 1), texel(1, 0), texel(0, 0)});
      }
    }
    EXPECT_SAME(out, expected);
  }
}

TEST_P(Textures, CosineTransform) {
  constexpr int kSide = 32;
  const auto texels = random_values<uint8_t>(kSide * kSide, 8);
  const Array array({kSide, kSide, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, texels.data(), 1);
  const Texture image(array.resource(), kClamp, kPoint, CU_TRSF_READ_AS_INTEGER);
  const auto cosines = tabulate(64, [](size_t i) {
    const double scale = i / 8 ? 0.5 : std::sqrt(0.125);
    return static_cast<float>(
        scale * std::cos(3.14159265358979 * static_cast<double>((2 * (i % 8) + 1) * (i / 8)) / 16));
  });
  Buffer table(cosines);
  Buffer<float> out(texels.size());
  launch("cosine_transform", {{kSide / 8, kSide / 8}, {8, 8}}, image.handle, table, out, kSide);
  std::vector<double> expected(texels.size());
  for (size_t at = 0; at < expected.size(); ++at) {
    const size_t x = at % kSide, y = at / kSide;
    for (size_t j = 0; j < 8; ++j) {
      for (size_t i = 0; i < 8; ++i) {
        const double texel = texels[(y / 8 * 8 + j) * kSide + x / 8 * 8 + i] - 128.0;
        expected[at] += texel * cosines[x % 8 * 8 + i] * cosines[y % 8 * 8 + j];
      }
    }
  }
  expect_near(out.values(), expected, 1e-3);
}

TEST_P(Textures, HistogramOfASurface) {
  constexpr int kWidth = 37, kHeight = 21;
  const auto texels = random_values<uint8_t>(kWidth * kHeight * 4, 9);
  const Array array({kWidth, kHeight, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST},
                    texels.data(), 4);
  const Surface image(array.handle());
  Buffer<uint32_t> bins(768);
  launch("histogram_of_surface", plane(kWidth, kHeight), image.handle, kWidth, kHeight, bins);
  std::vector<uint32_t> expected(768);
  for (size_t i = 0; i < texels.size(); ++i) {
    if (i % 4 < 3) ++expected[i % 4 * 256 + texels[i]];
  }
  EXPECT_SAME(bins, expected);
}

TEST_P(Textures, WritesBeyondASurface) {
  constexpr unsigned kWidth = 7, kHeight = 5;
  const CUDA_ARRAY3D_DESCRIPTOR shape{
      kWidth, kHeight, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
  const std::vector<uint32_t> zeros(kWidth * kHeight);
  const Array array(shape, zeros.data(), 4);
  const Surface image(array.handle());
  const Shape frame{{kHeight + 4}, {kWidth + 4}};
  const int width = kWidth, height = kHeight;
  const auto inside = tabulate(zeros.size(), [](size_t i) {
    return static_cast<uint32_t>(1000 + i / kWidth * 100 + i % kWidth);
  });
  launch("write_beyond", frame, image.handle, width, height, 0);
  EXPECT_SAME(Array::read<uint32_t>(array.handle(), shape), inside);

  // Several threads write a texel of the edge; texels within have one writer.
  launch("write_beyond", frame, image.handle, width, height, 1);
  const auto clamped = Array::read<uint32_t>(array.handle(), shape);
  for (unsigned y = 0; y < kHeight; ++y) {
    for (unsigned x = 0; x < kWidth; ++x) {
      const bool is_edge = !x || !y || x == kWidth - 1 || y == kHeight - 1;
      const uint32_t value = clamped[y * kWidth + x];
      if (!is_edge) EXPECT_EQ(value, inside[y * kWidth + x]);
      const int from_x = static_cast<int>(value + 50) % 100 - 50,
                from_y = (static_cast<int>(value) - from_x - 1000) / 100;
      EXPECT_EQ(clamp(from_x, width), static_cast<int>(x)) << value;
      EXPECT_EQ(clamp(from_y, height), static_cast<int>(y)) << value;
    }
  }
}

TEST_P(Textures, LinearMemory) {
  const auto texels = random_values<int>(100, 10);
  Buffer memory(texels);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {memory.address(), CU_AD_FORMAT_SIGNED_INT32, 1, 400};
  const Texture texture(resource, kClamp, kPoint);
  Buffer<int> out(128);
  launch("fetch", {{2}, {64}}, texture.handle, -10, out);
  EXPECT_SAME(out,
              tabulate(128, [&](size_t i) { return i < 10 || i >= 110 ? 0 : texels[i - 10]; }));
}

}  // namespace
}  // namespace heddle::kernels
