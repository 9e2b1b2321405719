// Images and samplers through the functions that an ICD loader calls.  Expected values are those of
// the API's text: the bytes of elements, OpenCL C's conversions, the codes of broken rules.
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "driver/core/dispatch.h"

namespace assay::driver {
namespace {

using Sizes = std::array<std::size_t, 4>;

class ImageTest : public testing::Test {
 protected:
  ImageTest() {
    using GetPlatforms = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);
    const auto get = reinterpret_cast<GetPlatforms>(FunctionAddress("clIcdGetPlatformIDsKHR"));
    cl_platform_id platform = nullptr;
    EXPECT_EQ(get(1, &platform, nullptr), CL_SUCCESS);
    EXPECT_EQ(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
    context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = cl.clCreateCommandQueue(context, device, 0, nullptr);
  }
  ~ImageTest() override {
    for (cl_mem memory : made) cl.clReleaseMemObject(memory);
    cl.clReleaseCommandQueue(queue);
    cl.clReleaseContext(context);
  }

  static cl_image_desc Desc(cl_mem_object_type type, std::size_t width, std::size_t height = 0,
                            std::size_t depth_or_layers = 0) {
    cl_image_desc desc = {};
    desc.image_type = type;
    desc.image_width = width;
    desc.image_height = height;
    (type == CL_MEM_OBJECT_IMAGE3D ? desc.image_depth : desc.image_array_size) = depth_or_layers;
    return desc;
  }
  cl_mem Make(const cl_image_desc& desc, cl_image_format format, cl_mem_flags flags = 0,
              void* host = nullptr) {
    cl_mem image = cl.clCreateImage(context, flags, &format, &desc, host, &code);
    if (image != nullptr) made.push_back(image);
    return image;
  }
  cl_int CodeOf(const cl_image_desc& desc, cl_image_format format, cl_mem_flags flags = 0,
                void* host = nullptr) {
    Make(desc, format, flags, host);
    return code;
  }
  template <typename T>
  T Query(cl_mem image, cl_image_info name) {
    T value = {};
    EXPECT_EQ(cl.clGetImageInfo(image, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
  // A kernel with one argument after the other, for `items` work-items.
  void Run(const char* source, std::vector<cl_mem> arguments, std::vector<std::size_t> items,
           const char* options = "-cl-std=CL3.0") {
    cl_program program = cl.clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
    ASSERT_EQ(cl.clBuildProgram(program, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS);
    cl_kernel kernel = cl.clCreateKernel(program, "k", nullptr);
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      ASSERT_EQ(cl.clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
    }
    ASSERT_EQ(cl.clEnqueueNDRangeKernel(queue, kernel, static_cast<cl_uint>(items.size()), nullptr,
                                        items.data(), nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(cl.clFinish(queue), CL_SUCCESS);
    cl.clReleaseKernel(kernel);
    cl.clReleaseProgram(program);
  }
  template <typename T>
  std::vector<T> Read(cl_mem image, Sizes origin, Sizes region, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cl.clEnqueueReadImage(queue, image, CL_TRUE, origin.data(), region.data(), 0, 0,
                                    values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  template <typename T>
  void Write(cl_mem image, Sizes origin, Sizes region, const std::vector<T>& values) {
    EXPECT_EQ(cl.clEnqueueWriteImage(queue, image, CL_TRUE, origin.data(), region.data(), 0, 0,
                                     values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }

  const cl_icd_dispatch& cl = *static_cast<const cl_icd_dispatch*>(DispatchTable());
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_int code = CL_SUCCESS;
  std::vector<cl_mem> made;
};

constexpr cl_image_format kR8 = {CL_R, CL_UNSIGNED_INT8};
constexpr cl_image_format kR32 = {CL_R, CL_UNSIGNED_INT32};
constexpr cl_image_format kRgba8 = {CL_RGBA, CL_UNORM_INT8};

TEST_F(ImageTest, WritesAndReadsRegionsWithPitches) {
  cl_mem image = Make(Desc(CL_MEM_OBJECT_IMAGE3D, 4, 3, 2), kR8);
  Write<cl_uchar>(image, {0, 0, 0}, {4, 3, 2}, std::vector<cl_uchar>(24, 9));
  // Two slices of 2x2 elements, rows of 5 bytes, slices of 12.
  std::vector<cl_uchar> given(24);
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<cl_uchar>(i + 100);
  const Sizes origin = {1, 1, 0}, region = {2, 2, 2};
  ASSERT_EQ(cl.clEnqueueWriteImage(queue, image, CL_TRUE, origin.data(), region.data(), 5, 12,
                                   given.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(Read<cl_uchar>(image, {0, 0, 0}, {4, 3, 2}, 24),
            (std::vector<cl_uchar>{9, 9, 9, 9, 9, 100, 101, 9, 9, 105, 106, 9,  //
                                   9, 9, 9, 9, 9, 112, 113, 9, 9, 117, 118, 9}));
}

TEST_F(ImageTest, LayersOf1dArraysAreSecondCoordinates) {
  cl_mem image = Make(Desc(CL_MEM_OBJECT_IMAGE1D_ARRAY, 3, 0, 2), kR8);
  const std::vector<cl_uchar> given = {1, 2, 3, 0, 4, 5, 6, 0};
  const Sizes origin = {}, region = {3, 2, 1};
  // The slice pitch is that from layer to layer.
  ASSERT_EQ(cl.clEnqueueWriteImage(queue, image, CL_TRUE, origin.data(), region.data(), 3, 4,
                                   given.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(Read<cl_uchar>(image, {1, 1, 0}, {2, 1, 1}, 2), (std::vector<cl_uchar>{5, 6}));
  EXPECT_EQ(Query<std::size_t>(image, CL_IMAGE_ARRAY_SIZE), 2u);
  EXPECT_EQ(Query<std::size_t>(image, CL_IMAGE_HEIGHT), 0u);
  EXPECT_EQ(Query<std::size_t>(image, CL_IMAGE_SLICE_PITCH), 3u);
}

TEST_F(ImageTest, CopiesBetweenShapesAndBuffers) {
  cl_mem flat = Make(Desc(CL_MEM_OBJECT_IMAGE2D, 2, 2), kR8);
  cl_mem deep = Make(Desc(CL_MEM_OBJECT_IMAGE3D, 3, 3, 3), kR8);
  Write<cl_uchar>(flat, {}, {2, 2, 1}, {1, 2, 3, 4});
  const Sizes zero = {}, inside = {1, 1, 2}, region = {2, 2, 1};
  ASSERT_EQ(cl.clEnqueueCopyImage(queue, flat, deep, zero.data(), inside.data(), region.data(), 0,
                                  nullptr, nullptr),
            CL_SUCCESS);
  cl_mem buffer = cl.clCreateBuffer(context, 0, 8, nullptr, nullptr);
  made.push_back(buffer);
  ASSERT_EQ(cl.clEnqueueCopyImageToBuffer(queue, deep, buffer, inside.data(), region.data(), 3, 0,
                                          nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(cl.clEnqueueCopyBufferToImage(queue, buffer, flat, 4, zero.data(),
                                          Sizes{2, 1, 1}.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(Read<cl_uchar>(flat, {}, {2, 2, 1}, 4), (std::vector<cl_uchar>{2, 3, 3, 4}));
  EXPECT_EQ(cl.clEnqueueCopyImageToBuffer(queue, deep, buffer, inside.data(), region.data(), 5, 0,
                                          nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(cl.clEnqueueCopyImage(queue, deep, deep, zero.data(), Sizes{1, 0, 0}.data(),
                                  region.data(), 0, nullptr, nullptr),
            CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(cl.clEnqueueCopyImage(queue, deep, Make(Desc(CL_MEM_OBJECT_IMAGE2D, 4, 4), kRgba8),
                                  zero.data(), zero.data(), region.data(), 0, nullptr, nullptr),
            CL_IMAGE_FORMAT_MISMATCH);
}

TEST_F(ImageTest, FillsWithConvertedColors) {
  const Sizes zero = {}, one = {1, 1, 1};
  const auto fill = [&](cl_image_format format, const void* color) {
    cl_mem image = Make(Desc(CL_MEM_OBJECT_IMAGE2D, 1, 1), format);
    EXPECT_EQ(
        cl.clEnqueueFillImage(queue, image, color, zero.data(), one.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return Read<cl_uchar>(image, {}, {1, 1, 1}, 4);
  };
  const cl_float4 color = {{0, 1, 0.5f, 2}};
  using Bytes = std::vector<cl_uchar>;
  EXPECT_EQ(fill(kRgba8, &color), (Bytes{0, 255, 128, 255}));
  EXPECT_EQ(fill({CL_BGRA, CL_UNORM_INT8}, &color), (Bytes{128, 255, 0, 255}));
  // 0.5 is code 188 of sRGB (IEC 61966-2-1).
  EXPECT_EQ(fill({CL_sRGBA, CL_UNORM_INT8}, &color), (Bytes{0, 255, 188, 255}));
  const cl_int4 numbers = {{-1, 300, -300, 7}};
  EXPECT_EQ(fill({CL_RGBA, CL_SIGNED_INT8}, &numbers), (Bytes{255, 127, 128, 7}));
  const cl_float depth = 1;  // one number only
  EXPECT_EQ(fill({CL_DEPTH, CL_FLOAT}, &depth), (Bytes{0, 0, 0x80, 0x3f}));
}

TEST_F(ImageTest, MapsTheHostsMemoryInPlace) {
  // Rows of 8 bytes, slices of 24.
  std::vector<cl_uchar> host(48, 5);
  cl_image_desc desc = Desc(CL_MEM_OBJECT_IMAGE3D, 4, 2, 2);
  desc.image_row_pitch = 8;
  desc.image_slice_pitch = 24;
  cl_mem image = Make(desc, kR8, CL_MEM_USE_HOST_PTR, host.data());
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(Query<std::size_t>(image, CL_IMAGE_ROW_PITCH), 8u);
  Run("kernel void k(write_only image3d_t i) {"
      "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);"
      "  write_imageui(i, at, (uint4)(at.x + 10 * at.y + 100 * at.z)); }",
      {image}, {4, 2, 2});
  const Sizes origin = {1, 1, 1}, region = {2, 1, 1};
  std::size_t row = 0, slice = 0;
  auto* mapped = static_cast<cl_uchar*>(
      cl.clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin.data(),
                           region.data(), &row, &slice, 0, nullptr, nullptr, &code));
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(mapped, host.data() + 24 + 8 + 1);
  EXPECT_EQ(row, 8u);
  EXPECT_EQ(slice, 24u);
  EXPECT_EQ(mapped[0], 111);
  EXPECT_EQ(host[4], 5) << "between rows";
  // A second mapping for writing must not overlap; one for reading may.
  cl.clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, origin.data(), region.data(), &row,
                       &slice, 0, nullptr, nullptr, &code);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  mapped[1] = 77;
  EXPECT_EQ(cl.clEnqueueUnmapMemObject(queue, image, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(Read<cl_uchar>(image, {2, 1, 1}, {1, 1, 1}, 1), (std::vector<cl_uchar>{77}));
  EXPECT_EQ(cl.clEnqueueUnmapMemObject(queue, image, mapped, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
}

TEST_F(ImageTest, CopiesHostMemoryWithPitches) {
  std::vector<cl_uchar> host = {1, 2, 0, 0, 3, 4, 0, 0};
  cl_image_desc desc = Desc(CL_MEM_OBJECT_IMAGE2D, 2, 2);
  desc.image_row_pitch = 4;
  cl_mem image = Make(desc, kR8, CL_MEM_COPY_HOST_PTR, host.data());
  EXPECT_EQ(Query<std::size_t>(image, CL_IMAGE_ROW_PITCH), 4u);
  EXPECT_EQ(Read<cl_uchar>(image, {}, {2, 2, 1}, 4), (std::vector<cl_uchar>{1, 2, 3, 4}));
}

TEST_F(ImageTest, SharesABuffersBytes) {
  cl_mem buffer = cl.clCreateBuffer(context, 0, 64, nullptr, nullptr);
  made.push_back(buffer);
  cl_image_desc desc = Desc(CL_MEM_OBJECT_IMAGE2D, 2, 3);
  desc.image_row_pitch = 16;
  desc.buffer = buffer;
  cl_mem image = Make(desc, kR32);
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(Query<cl_mem>(image, CL_IMAGE_BUFFER), buffer);
  Run("kernel void k(write_only image2d_t i) {"
      "  write_imageui(i, (int2)(get_global_id(0), get_global_id(1)), get_global_id(0) + 10 * "
      "get_global_id(1)); }",
      {image}, {2, 3});
  std::array<cl_uint, 16> bytes = {};
  ASSERT_EQ(
      cl.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, bytes.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ((std::array{bytes[0], bytes[1], bytes[4], bytes[5], bytes[8], bytes[9]}),
            (std::array<cl_uint, 6>{0, 1, 10, 11, 20, 21}));
  desc.image_height = 5;
  EXPECT_EQ(CodeOf(desc, kR32), CL_INVALID_IMAGE_SIZE);
  desc.image_height = 3;
  desc.image_row_pitch = 10;
  EXPECT_EQ(CodeOf(desc, kR32), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  cl_image_desc line = Desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, 16);
  EXPECT_EQ(CodeOf(line, kR32), CL_INVALID_IMAGE_DESCRIPTOR);
  line.buffer = buffer;
  cl_mem of_line = Make(line, kR32);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(Read<cl_uint>(of_line, {9}, {1, 1, 1}, 1), (std::vector<cl_uint>{21}));
  EXPECT_EQ(CodeOf(line, kR32, CL_MEM_COPY_HOST_PTR, bytes.data()), CL_INVALID_VALUE);
}

// cl_ext_image_from_buffer, cl_ext_image_requirements_info.
TEST_F(ImageTest, SharesABuffersSlices) {
  const auto requirements = reinterpret_cast<clGetImageRequirementsInfoEXT_fn>(
      FunctionAddress("clGetImageRequirementsInfoEXT"));
  ASSERT_NE(requirements, nullptr);
  cl_image_desc desc = Desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, 2, 2);
  desc.image_row_pitch = 12;
  desc.image_slice_pitch = 36;
  std::size_t needed = 0, alignment = 0;
  ASSERT_EQ(requirements(context, nullptr, 0, &kR32, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT,
                         sizeof needed, &needed, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(needed, 72u);
  ASSERT_EQ(requirements(context, nullptr, 0, &kR32, nullptr,
                         CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, sizeof alignment,
                         &alignment, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(alignment, 4u);
  cl_uint most = 0;
  EXPECT_EQ(requirements(context, nullptr, 0, &kR32, &desc, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT,
                         sizeof most, &most, nullptr),
            CL_INVALID_IMAGE_DESCRIPTOR);
  cl_mem buffer = cl.clCreateBuffer(context, 0, needed, nullptr, nullptr);
  made.push_back(buffer);
  desc.buffer = buffer;
  cl_mem image = Make(desc, kR32);
  ASSERT_EQ(code, CL_SUCCESS);
  Run("kernel void k(write_only image2d_array_t i) {"
      "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);"
      "  write_imageui(i, at, (uint4)(at.x + 10 * at.y + 100 * at.z)); }",
      {image}, {2, 2, 2});
  std::array<cl_uint, 18> words = {};
  ASSERT_EQ(
      cl.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, needed, words.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ((std::array{words[1], words[3], words[9], words[13]}),
            (std::array<cl_uint, 4>{1, 10, 100, 111}));
}

TEST_F(ImageTest, SeesAnImageAsSrgb) {
  cl_image_desc desc = Desc(CL_MEM_OBJECT_IMAGE2D, 1, 1);
  cl_mem linear = Make(desc, kRgba8);
  Write<cl_uchar>(linear, {}, {1, 1, 1}, {255, 188, 0, 51});
  desc.buffer = linear;
  cl_mem view = Make(desc, {CL_sRGBA, CL_UNORM_INT8});
  ASSERT_EQ(code, CL_SUCCESS);
  cl_mem out = cl.clCreateBuffer(context, 0, 32, nullptr, nullptr);
  made.push_back(out);
  Run("kernel void k(read_only image2d_t a, read_only image2d_t b, global float4* out) {"
      "  out[0] = read_imagef(a, (int2)(0)); out[1] = read_imagef(b, (int2)(0)); }",
      {linear, view, out}, {1});
  std::array<cl_float, 8> values = {};
  cl.clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 32, values.data(), 0, nullptr, nullptr);
  EXPECT_EQ(values[1], 188 / 255.0f);
  EXPECT_NEAR(values[5], 0.502886, 1e-5);  // ((188/255 + 0.055) / 1.055) ^ 2.4
  EXPECT_EQ(values[7], 0.2f);
  EXPECT_EQ(CodeOf(desc, {CL_BGRA, CL_UNORM_INT8}), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}

TEST_F(ImageTest, SelectsLevelsOfMipmaps) {
  cl_image_desc desc = Desc(CL_MEM_OBJECT_IMAGE2D, 4, 4);
  desc.num_mip_levels = 3;
  cl_mem image = Make(desc, {CL_R, CL_FLOAT});
  ASSERT_EQ(code, CL_SUCCESS);
  Write<cl_float>(image, {0, 0, 0}, {4, 4, 1}, std::vector<cl_float>(16, 1));
  Write<cl_float>(image, {0, 0, 1}, {2, 2, 1}, {2, 3, 4, 5});
  Write<cl_float>(image, {0, 0, 2}, {1, 1, 1}, {6});
  EXPECT_EQ(Read<cl_float>(image, {0, 1, 1}, {2, 1, 1}, 2), (std::vector<cl_float>{4, 5}));
  std::array<cl_float, 4> host = {};
  EXPECT_EQ(cl.clEnqueueReadImage(queue, image, CL_TRUE, Sizes{0, 0, 3}.data(),
                                  Sizes{1, 1, 1}.data(), 0, 0, host.data(), 0, nullptr, nullptr),
            CL_INVALID_MIP_LEVEL);
  EXPECT_EQ(cl.clEnqueueReadImage(queue, image, CL_TRUE, Sizes{0, 0, 1}.data(),
                                  Sizes{3, 1, 1}.data(), 0, 0, host.data(), 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  cl_mem out = cl.clCreateBuffer(context, 0, 8, nullptr, nullptr);
  made.push_back(out);
  Run("#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
      "constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_NEAREST | "
      "CLK_ADDRESS_CLAMP_TO_EDGE;\n"
      "kernel void k(read_only image2d_t i, global float* out) {"
      "  out[0] = read_imagef(i, s, (float2)(0.9f, 0.1f), 1.0f).x;"
      "  out[1] = read_imagef(i, s, (float2)(0.9f, 0.1f), 2.0f).x; }",
      {image, out}, {1}, "-cl-std=CL2.0");
  cl.clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 8, host.data(), 0, nullptr, nullptr);
  EXPECT_EQ(host[0], 3);
  EXPECT_EQ(host[1], 6);
  desc.num_mip_levels = 4;
  EXPECT_EQ(CodeOf(desc, kR32), CL_INVALID_IMAGE_DESCRIPTOR);
}

TEST_F(ImageTest, RefusesWhatTheTextForbids) {
  std::array<cl_uchar, 64> host = {};
  cl_image_desc desc = Desc(CL_MEM_OBJECT_IMAGE2D, 4, 4);
  EXPECT_EQ(CodeOf(desc, {CL_RGBA, 0}), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(CodeOf(desc, {0, CL_FLOAT}), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(CodeOf(desc, {CL_RGBA, CL_UNORM_SHORT_565}), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(CodeOf(desc, {CL_RGB, CL_FLOAT}), CL_IMAGE_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(CodeOf(Desc(CL_MEM_OBJECT_IMAGE3D, 2, 2, 2), {CL_DEPTH, CL_FLOAT}),
            CL_IMAGE_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(CodeOf(desc, kR8, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY), CL_INVALID_VALUE);
  EXPECT_EQ(CodeOf(desc, kR8, CL_MEM_USE_HOST_PTR), CL_INVALID_HOST_PTR);
  EXPECT_EQ(CodeOf(desc, kR8, 0, host.data()), CL_INVALID_HOST_PTR);
  EXPECT_EQ(CodeOf(Desc(CL_MEM_OBJECT_IMAGE2D, 0, 4), kR8), CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(CodeOf(Desc(CL_MEM_OBJECT_IMAGE2D, 1 << 20, 4), kR8), CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(CodeOf(Desc(CL_MEM_OBJECT_BUFFER, 4, 4), kR8), CL_INVALID_IMAGE_DESCRIPTOR);
  desc.image_row_pitch = 8;
  EXPECT_EQ(CodeOf(desc, kR8), CL_INVALID_IMAGE_DESCRIPTOR) << "a pitch without host_ptr";
  desc.image_row_pitch = 3;
  EXPECT_EQ(CodeOf(desc, kR8, CL_MEM_COPY_HOST_PTR, host.data()), CL_INVALID_IMAGE_DESCRIPTOR);
  cl.clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &kR8, 4, 4, 3, host.data(), &code);
  EXPECT_EQ(code, CL_INVALID_IMAGE_SIZE);
  cl.clCreateImage3D(context, 0, &kR8, 4, 4, 1, 0, 0, nullptr, &code);
  EXPECT_EQ(code, CL_INVALID_IMAGE_SIZE);
  desc = Desc(CL_MEM_OBJECT_IMAGE2D, 4, 4);
  cl.clCreateImage(context, 0, nullptr, &desc, nullptr, &code);
  EXPECT_EQ(code, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  cl.clCreateImage(context, 0, &kR8, nullptr, nullptr, &code);
  EXPECT_EQ(code, CL_INVALID_IMAGE_DESCRIPTOR);
  cl_mem image = Make(desc, kR8, CL_MEM_HOST_WRITE_ONLY);
  const auto read = [&](Sizes origin, Sizes region, std::size_t row, std::size_t slice) {
    return cl.clEnqueueReadImage(queue, image, CL_TRUE, origin.data(), region.data(), row, slice,
                                 host.data(), 0, nullptr, nullptr);
  };
  EXPECT_EQ(read({}, {4, 4, 1}, 0, 0), CL_INVALID_OPERATION);
  EXPECT_EQ(read({}, {4, 4, 0}, 0, 0), CL_INVALID_VALUE);
  EXPECT_EQ(read({0, 0, 1}, {4, 4, 1}, 0, 0), CL_INVALID_VALUE);
  EXPECT_EQ(read({1}, {4, 4, 1}, 0, 0), CL_INVALID_VALUE);
  EXPECT_EQ(read({}, {4, 4, 1}, 3, 0), CL_INVALID_VALUE);
  EXPECT_EQ(read({}, {4, 4, 1}, 0, 16), CL_INVALID_VALUE) << "a slice pitch of a 2D image";
}

TEST_F(ImageTest, ListsTheFormatsThatTheTextRequires) {
  cl_uint count = 0;
  ASSERT_EQ(cl.clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
                                          nullptr, &count),
            CL_SUCCESS);
  std::vector<cl_image_format> formats(count);
  ASSERT_EQ(cl.clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, count,
                                          formats.data(), nullptr),
            CL_SUCCESS);
  const auto has = [&](cl_channel_order order, cl_channel_type type) {
    for (const auto& format : formats) {
      if (format.image_channel_order == order && format.image_channel_data_type == type)
        return true;
    }
    return false;
  };
  for (const cl_channel_type type :
       {CL_UNORM_INT8, CL_UNORM_INT16, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32,
        CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT}) {
    EXPECT_TRUE(has(CL_RGBA, type)) << std::hex << type;
    EXPECT_TRUE(has(CL_R, type)) << std::hex << type;
  }
  EXPECT_TRUE(has(CL_BGRA, CL_UNORM_INT8));
  EXPECT_TRUE(has(CL_sRGBA, CL_UNORM_INT8));
  EXPECT_TRUE(has(CL_DEPTH, CL_UNORM_INT16));
  EXPECT_FALSE(has(CL_DEPTH_STENCIL, CL_FLOAT));
  EXPECT_FALSE(has(CL_RGB, CL_FLOAT));
  EXPECT_FALSE(has(CL_Rx, CL_UNORM_INT8));  // the size of an element is not agreed upon
  // An image of each can be made.
  for (const auto& format : formats)
    EXPECT_EQ(CodeOf(Desc(CL_MEM_OBJECT_IMAGE2D, 3, 2), format), CL_SUCCESS);
  EXPECT_EQ(cl.clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, nullptr, &count),
            CL_INVALID_VALUE);
}

TEST_F(ImageTest, KernelsTakeImagesOfTheirType) {
  const char* source = "kernel void k(read_only image2d_t i) {}";
  cl_program program = cl.clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  ASSERT_EQ(cl.clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_kernel kernel = cl.clCreateKernel(program, "k", nullptr);
  cl_mem line = Make(Desc(CL_MEM_OBJECT_IMAGE1D, 4), kR8);
  cl_mem depth = Make(Desc(CL_MEM_OBJECT_IMAGE2D, 4, 4), {CL_DEPTH, CL_FLOAT});
  cl_mem write_only = Make(Desc(CL_MEM_OBJECT_IMAGE2D, 4, 4), kR8, CL_MEM_WRITE_ONLY);
  EXPECT_EQ(cl.clSetKernelArg(kernel, 0, sizeof line, &line), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(cl.clSetKernelArg(kernel, 0, sizeof depth, &depth), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(cl.clSetKernelArg(kernel, 0, sizeof write_only, &write_only), CL_INVALID_ARG_VALUE);
  cl.clReleaseKernel(kernel);
  cl.clReleaseProgram(program);
}

TEST_F(ImageTest, SamplersHaveTheirProperties) {
  cl_float most = 2.5f;
  cl_sampler_properties bits = 0;
  std::memcpy(&bits, &most, sizeof most);
  const std::vector<cl_sampler_properties> given = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT,
                                                    CL_SAMPLER_LOD_MAX_KHR, bits, 0};
  cl_sampler sampler = cl.clCreateSamplerWithProperties(context, given.data(), &code);
  ASSERT_EQ(code, CL_SUCCESS);
  cl_addressing_mode mode = 0;
  cl_filter_mode filter = 0;
  cl_bool normalized = CL_FALSE;
  cl_float lod = 0;
  std::vector<cl_sampler_properties> kept(5);
  cl.clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, nullptr);
  cl.clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, nullptr);
  cl.clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized,
                      nullptr);
  cl.clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof lod, &lod, nullptr);
  cl.clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof kept[0] * kept.size(), kept.data(),
                      nullptr);
  EXPECT_EQ(mode, cl_addressing_mode{CL_ADDRESS_REPEAT});
  EXPECT_EQ(filter, cl_filter_mode{CL_FILTER_NEAREST});
  EXPECT_EQ(normalized, cl_bool{CL_TRUE});
  EXPECT_EQ(lod, most);
  EXPECT_EQ(kept, given);
  EXPECT_EQ(cl.clRetainSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(cl.clReleaseSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(cl.clReleaseSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(cl.clReleaseSampler(sampler), CL_INVALID_SAMPLER);
  cl.clCreateSampler(context, CL_TRUE, 0, CL_FILTER_LINEAR, &code);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  const std::array<cl_sampler_properties, 5> twice = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                                      CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  cl.clCreateSamplerWithProperties(context, twice.data(), &code);
  EXPECT_EQ(code, CL_INVALID_VALUE);
}

}  // namespace
}  // namespace assay::driver
