// The host program in C of a finding.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "tools/hunt/finding.h"

namespace assay::tools {
namespace {

std::string CString(const std::string& text) {
  std::string quoted;
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      quoted += fmt::format("    \"{}\\n\"\n", line);
      line.clear();
      continue;
    }
    if (c == '"' || c == '\\') line += '\\';
    line += c;
  }
  if (!line.empty()) quoted += fmt::format("    \"{}\"\n", line);
  return quoted.empty() ? "    \"\"\n" : quoted;
}

template <typename Bytes>
std::string CBytes(const std::string& name, const Bytes& bytes) {
  std::string text = fmt::format("static const unsigned char {}[{}] = {{", name,
                                 std::max<std::size_t>(bytes.size(), 1));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += fmt::format("{}{},", i % 24 == 0 ? "\n    " : "", static_cast<int>(bytes[i]));
  }
  return text + "\n};\n";
}

constexpr const char* kHead =
    R"(/* Shows without assay that an OpenCL driver computes a kernel wrong: {0}.
   cc hunted.c -o hunted -l:libOpenCL.so.1 && ./hunted [PLATFORM]
   PLATFORM is a part of the platform's name; without it the first platform is taken.
   Exit code: 0 the results are right, 1 they are wrong or the driver fails, 2 no such platform. */
#define CL_TARGET_OPENCL_VERSION {6}
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

{1}
static const char kOptions[] = "{2}";
{3}
/* Where more than one result conforms: those from low to high.  Of NaN every one does, and kind 1
   demands one; kind 2 is one of two integers, kind 3 the low seven bits and the sign of one. */
typedef struct {{
  cl_uint buffer;
  size_t byte, size;
  int kind;
  unsigned long long low, high;
}} Range;
static const Range kRanges[] = {{{4}{{0, 0, 0, 0, 0, 0}}}};
enum {{ kRangeCount = sizeof kRanges / sizeof kRanges[0] - 1 }};
/* Bytes of results that conform, though they are not the nearest value. */
typedef struct {{
  cl_uint buffer;
  size_t first, end;
}} Judged;
static const Judged kJudged[] = {{{5}{{0, 0, 0}}}};
)";

constexpr const char* kOfText = R"(static const char kSource[] =
{};
static cl_program Program(cl_context context, cl_int* status) {{
  const char* source = kSource;
  return clCreateProgramWithSource(context, 1, &source, NULL, status);
}})";

constexpr const char* kOfModule = R"(/* SPIR-V of this kernel:
{}*/
{}static cl_program Program(cl_context context, cl_int* status) {{
  return clCreateProgramWithIL(context, kModule, sizeof kModule, status);
}})";

constexpr const char* kMain = R"(
static unsigned long long Number(const unsigned char* bytes, size_t size) {
  unsigned long long number = 0;
  memcpy(&number, bytes, size);
  return number;
}

/* In the order -infinity .. -0, +0 .. +infinity. */
static long long Order(unsigned long long bits, size_t size) {
  const unsigned long long sign = 1ull << (8 * size - 1);
  return bits & sign ? -(long long)(bits & (sign - 1)) - 1 : (long long)bits;
}

static int IsAccepted(const Range* range, const unsigned char* bytes) {
  const size_t size = range->size;
  const unsigned long long bits = Number(bytes + range->byte, size);
  const unsigned long long infinity =
      size == 2 ? 0x7c00 : size == 4 ? 0x7f800000 : 0x7ff0000000000000;
  if (range->kind == 1) return (bits & ((1ull << (8 * size - 1)) - 1)) > infinity;
  if (range->kind == 2) return bits == range->low || bits == range->high;
  if (range->kind == 3) {
    const int value = (int)bits, right = (int)range->low;
    return abs(value) % 128 == abs(right) % 128 && (value < 0) == (right < 0);
  }
  return Order(range->low, size) <= Order(bits, size) &&
         Order(bits, size) <= Order(range->high, size);
}

static int IsJudged(cl_uint buffer, size_t byte) {
  for (size_t k = 0; k + 1 < sizeof kJudged / sizeof kJudged[0]; ++k) {
    if (kJudged[k].buffer == buffer && byte >= kJudged[k].first && byte < kJudged[k].end) return 1;
  }
  return 0;
}

static int Check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return 1;
  printf("%s: error %d\n", call, (int)status);
  exit(1);
}

int main(int count, char** words) {
  cl_platform_id platforms[32], platform = NULL;
  cl_uint platform_count = 0;
  cl_device_id device;
  cl_int status;
  Check(clGetPlatformIDs(32, platforms, &platform_count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < platform_count && platform == NULL; ++i) {
    char name[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (count < 2 || strstr(name, words[1]) != NULL) platform = platforms[i];
  }
  if (platform == NULL) return 2;
  Check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  Check(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
  cl_program program = Program(context, &status);
  Check(status, "making the program");
  Check(clBuildProgram(program, 1, &device, kOptions, NULL, NULL), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "hunted", &status);
  Check(status, "clCreateKernel");
  cl_mem buffers[kBuffers];
  for (cl_uint i = 0; i < kBuffers; ++i) {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
#ifdef HAS_PIPES
    if (kPipes[i].filler != NULL) {
      buffers[i] = clCreatePipe(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, kPipes[i].bytes,
                                kPipes[i].packets, NULL, &status);
      Check(status, "clCreatePipe");
      cl_kernel fill = clCreateKernel(program, kPipes[i].filler, &status);
      Check(status, "clCreateKernel");
      Check(clSetKernelArg(fill, 0, sizeof buffers[i], &buffers[i]), "clSetKernelArg");
      Check(clEnqueueNDRangeKernel(queue, fill, 1, NULL, &kGlobal, &kLocal, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
      Check(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]), "clSetKernelArg");
      continue;
    }
#endif
    if (kImages[i].type == 0) {
      buffers[i] = clCreateBuffer(context, flags, kSizes[i], (void*)kContents[i], &status);
      Check(status, "clCreateBuffer");
    } else {
      const cl_image_format format = {CL_RGBA, kImages[i].channel};
      cl_image_desc image = {0};
      image.image_type = kImages[i].type;
      image.image_width = kImages[i].size[0];
      image.image_height = kImages[i].size[1];
      image.image_depth = kImages[i].size[2];
      image.image_array_size = kImages[i].layers;
      buffers[i] = clCreateImage(context, flags, &format, &image, (void*)kContents[i], &status);
      Check(status, "clCreateImage");
    }
    Check(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]), "clSetKernelArg");
  }
  Check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &kGlobal, &kLocal, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
  Check(clFinish(queue), "clFinish");
  int wrong = 0;
  for (cl_uint i = 0; i < kBuffers; ++i) {
    if (kRight[i] == NULL) continue;
    unsigned char* bytes = malloc(kSizes[i]);
    const size_t origin[3] = {0, 0, 0};
    Check(kImages[i].type == 0
              ? clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0, kSizes[i], bytes, 0, NULL, NULL)
              : clEnqueueReadImage(queue, buffers[i], CL_TRUE, origin, kImages[i].region, 0, 0,
                                   bytes, 0, NULL, NULL),
          "reading a result");
    for (size_t k = 0; k < kRangeCount; ++k) {
      const Range* range = &kRanges[k];
      if (range->buffer != i || IsAccepted(range, bytes)) continue;
      if (wrong++ < 8) {
        printf("%s, byte %zu: 0x%llx, right is 0x%llx to 0x%llx\n", kNames[i], range->byte,
               Number(bytes + range->byte, range->size), range->low, range->high);
      }
    }
    for (size_t k = 0; k < kSizes[i]; ++k) {
      if (bytes[k] == kRight[i][k] || IsJudged(i, k)) continue;
      if (wrong++ < 8) {
        printf("%s, byte %zu: %d, right is %d\n", kNames[i], k, bytes[k], kRight[i][k]);
      }
    }
    free(bytes);
  }
  printf(wrong ? "wrong: %d bytes\n" : "right\n", wrong);
  return wrong != 0;
}
)";

std::string ImageText(const interp::JobBuffer& buffer) {
  if (!buffer.image) return "{0}, ";
  const interp::ImageDescriptor& image = *buffer.image;
  constexpr const char* kTypes[] = {"IMAGE1D", "IMAGE1D_BUFFER", "IMAGE1D_ARRAY",
                                    "IMAGE2D", "IMAGE2D_ARRAY",  "IMAGE3D"};
  const auto size = image.size;
  // Rows of a 1D array are its layers.
  const bool is_lines = image.shape == interp::ImageShape::k1DArray;
  const bool is_planes = image.shape == interp::ImageShape::k2DArray;
  return fmt::format("{{CL_MEM_OBJECT_{}, {}, {{{}, {}, {}}}, {}, {{{}, {}, {}}}}}, ",
                     kTypes[static_cast<int>(image.shape)],
                     numerics::image::Name(image.format.type), size[0], size[1], size[2],
                     image.layers, size[0], is_lines ? image.layers : size[1],
                     is_planes ? image.layers : size[2]);
}

// The results that are judged: where they are, and what conforms where the driver does not.
std::pair<std::string, std::string> Ranges(const HuntReduction& reduction, std::size_t first) {
  using Kind = oracle::Accepted::Kind;
  const HuntText text = PrintProgram(reduction.program, "hunted", "");
  const auto buffer_of = [&](HuntBase base) {
    const auto at = std::ranges::find(text.outputs, base);
    return first + static_cast<std::size_t>(at - text.outputs.begin());
  };
  std::string ranges, judged;
  for (const HuntRange& one : reduction.result.ranges) {
    const auto size = static_cast<std::size_t>(BytesOf(one.base));
    if (one.accepted.kind == Kind::kNoLimit || one.accepted.kind == Kind::kAnything) continue;
    const int kind = one.accepted.kind == Kind::kNan            ? 1
                     : one.accepted.kind == Kind::kIntegers     ? 2
                     : one.accepted.kind == Kind::kLowSevenBits ? 3
                                                                : 0;
    const numerics::Bits mask = ~numerics::Bits{0} >> (64 - 8 * size);
    ranges += fmt::format("\n    {{{}, {}, {}, {}, {:#x}u, {:#x}u}}, ", buffer_of(one.base),
                          one.index * size, size, kind, one.accepted.low & mask,
                          one.accepted.high & mask);
  }
  for (const HuntJudged& one : text.judged) {
    for (const HuntStore& store : one.results) {
      const auto size = static_cast<std::uint64_t>(BytesOf(store.type.base));
      const std::uint64_t count =
          reduction.program.items * static_cast<std::uint64_t>(store.type.width);
      judged += fmt::format("\n    {{{}, {}, {}}}, ", buffer_of(store.type.base),
                            store.offset * size, (store.offset + count) * size);
    }
  }
  return {ranges, judged};
}

}  // namespace

std::string HostProgram(const HuntFinding& finding, const interp::Job& job,
                        const HuntReduction& reduction,
                        const std::optional<frontend::Binary>& module) {
  const std::vector<std::vector<std::byte>>& right = reduction.right;
  std::string data, names, sizes, contents, rights, images, pipes;
  const std::size_t first = job.buffers.size() - right.size();
  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    const interp::JobBuffer& buffer = job.buffers[i];
    data += CBytes(fmt::format("kContent{}", i), buffer.bytes);
    names += fmt::format("\"{}\", ", buffer.name);
    sizes += fmt::format("{}, ", buffer.bytes.size());
    contents += fmt::format("kContent{}, ", i);
    images += ImageText(buffer);
    pipes += buffer.max_packets == 0 ? std::string("{0}, ")
                                     : fmt::format("{{{}, {}, \"{}\"}}, ", buffer.packet_bytes,
                                                   buffer.max_packets, job.launches[i].kernel);
    if (i >= first) data += CBytes(fmt::format("kRight{}", i), right[i - first]);
    rights += i >= first ? fmt::format("kRight{}, ", i) : "NULL, ";
  }
  data += fmt::format(
      "enum {{ kBuffers = {} }};\nstatic const char* const kNames[] = {{{}}};\n"
      "static const size_t kSizes[] = {{{}}};\nstatic const unsigned char* const kContents[] = "
      "{{{}}};\n"
      "static const unsigned char* const kRight[] = {{{}}};\n"
      "/* Where the type is 0 it is a buffer. */\n"
      "static const struct {{ cl_mem_object_type type; cl_channel_type channel; size_t size[3], "
      "layers, region[3]; }} kImages[] = {{{}}};\n"
      "static const size_t kGlobal = {}, kLocal = {};",
      job.buffers.size(), names, sizes, contents, rights, images, finding.items, finding.local);
  const bool has_pipes = job.launches.size() > 1;
  if (has_pipes) {
    data += fmt::format(
        "\n#define HAS_PIPES\n/* A kernel fills a pipe; where there is none it is no pipe. */\n"
        "static const struct {{ cl_uint bytes, packets; const char* filler; }} kPipes[] = {{{}}};",
        pipes);
  }
  const auto [ranges, judged] = Ranges(reduction, first);
  const std::string program =
      module ? fmt::format(kOfModule, base::Indented(finding.text),
                           CBytes("kModule", std::as_bytes(std::span(module->words))))
             : fmt::format(kOfText, CString(finding.text));
  return fmt::format(kHead, finding.cause, program, job.load.compile.build_options, data, ranges,
                     judged,
                     module      ? 210
                     : has_pipes ? 200
                                 : 120) +
         kMain;
}

}  // namespace assay::tools
