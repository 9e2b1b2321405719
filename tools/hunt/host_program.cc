// The host program in C of a finding.
#include <fmt/format.h>

#include <cstring>

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
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kSource[] =
{1};
static const char kOptions[] = "{2}";
{3}
)";

constexpr const char* kMain = R"(
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
  const char* source = kSource;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  Check(status, "clCreateProgramWithSource");
  Check(clBuildProgram(program, 1, &device, kOptions, NULL, NULL), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "hunted", &status);
  Check(status, "clCreateKernel");
  cl_mem buffers[kBuffers];
  for (cl_uint i = 0; i < kBuffers; ++i) {
    buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kSizes[i],
                                (void*)kContents[i], &status);
    Check(status, "clCreateBuffer");
    Check(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]), "clSetKernelArg");
  }
  Check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &kGlobal, &kLocal, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
  Check(clFinish(queue), "clFinish");
  int wrong = 0;
  for (cl_uint i = 0; i < kBuffers; ++i) {
    if (kRight[i] == NULL) continue;
    unsigned char* bytes = malloc(kSizes[i]);
    Check(clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0, kSizes[i], bytes, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (size_t k = 0; k < kSizes[i]; ++k) {
      if (bytes[k] == kRight[i][k]) continue;
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

}  // namespace

std::string HostProgram(const HuntFinding& finding, const interp::Job& job,
                        const std::vector<std::vector<std::byte>>& right) {
  std::string data, names, sizes, contents, rights;
  const std::size_t first = job.buffers.size() - right.size();
  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    const interp::JobBuffer& buffer = job.buffers[i];
    data += CBytes(fmt::format("kContent{}", i), buffer.bytes);
    names += fmt::format("\"{}\", ", buffer.name);
    sizes += fmt::format("{}, ", buffer.bytes.size());
    contents += fmt::format("kContent{}, ", i);
    if (i >= first) data += CBytes(fmt::format("kRight{}", i), right[i - first]);
    rights += i >= first ? fmt::format("kRight{}, ", i) : "NULL, ";
  }
  data += fmt::format(
      "enum {{ kBuffers = {} }};\nstatic const char* const kNames[] = {{{}}};\n"
      "static const size_t kSizes[] = {{{}}};\nstatic const unsigned char* const kContents[] = "
      "{{{}}};\n"
      "static const unsigned char* const kRight[] = {{{}}};\n"
      "static const size_t kGlobal = {}, kLocal = {};",
      job.buffers.size(), names, sizes, contents, rights, finding.items, finding.local);
  return fmt::format(kHead, finding.cause, CString(finding.text), job.load.compile.build_options,
                     data) +
         kMain;
}

}  // namespace assay::tools
