// HIP, played: the calls of its compiler and its runtime that hip_math.py makes. Memory is the
// host's. The code of a program is its text behind a mark with a zero byte, and the device computes
// three of its kernels. It has no __hmax.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  kSuccess = 0,
  kCompilation = 6,
  kBadImage = 200,
  kNotFound = 500,
  kLaunchFailure = 719,
  kNotReady = 3
};
static const char kMark[] = "\x7f\0GPU";

typedef struct {
  char* text;
  char log[64];
} Program;

const char* hiprtcGetErrorString(int code) {
  return code == kCompilation ? "HIPRTC_ERROR_COMPILATION" : "HIPRTC_ERROR";
}

int hiprtcVersion(int* major, int* minor) {
  *major = 9;
  *minor = 1;
  return kSuccess;
}

int hiprtcCreateProgram(Program** program, const char* source, const char* name, int headers,
                        const char** texts, const char** names) {
  if (name == NULL || headers != 0 || texts != NULL || names != NULL) return 1;
  *program = calloc(1, sizeof(Program));
  (*program)->text = strdup(source);
  return kSuccess;
}

int hiprtcCompileProgram(Program* program, int count, const char** options) {
  if (count < 1 || strcmp(options[0], "--offload-arch=gfx90a") != 0) {
    strcpy(program->log, "error: unknown architecture");
    return kCompilation;
  }
  if (getenv("PLAYED_HIP_HAS_NO_HALF") != NULL && strstr(program->text, "__half") != NULL) {
    strcpy(program->log, "error: unknown type name '__half'");
    return kCompilation;
  }
  if (strstr(program->text, "__hmax(") == NULL) return kSuccess;
  strcpy(program->log, "error: undeclared identifier '__hmax'");
  return kCompilation;
}

int hiprtcGetProgramLogSize(const Program* program, size_t* size) {
  *size = strlen(program->log) + 1;
  return kSuccess;
}

int hiprtcGetProgramLog(const Program* program, char* log) {
  strcpy(log, program->log);
  return kSuccess;
}

int hiprtcGetCodeSize(const Program* program, size_t* size) {
  *size = sizeof(kMark) + strlen(program->text) + 1;
  return kSuccess;
}

int hiprtcGetCode(const Program* program, char* code) {
  memcpy(code, kMark, sizeof(kMark));
  strcpy(code + sizeof(kMark), program->text);
  return kSuccess;
}

// The runtime ----------------------------------------------------------------------------------

static int initialized = 0, selected = -1;

const char* hipGetErrorString(int code) {
  return code == kNotFound        ? "named symbol not found"
         : code == kLaunchFailure ? "unspecified launch failure"
                                  : "other error";
}

int hipInit(unsigned flags) {
  initialized = flags == 0;
  return getenv("PLAYED_HIP_HAS_NO_DEVICE") != NULL ? 100 : kSuccess;
}

int hipDeviceGet(int* device, int number) {
  *device = number + 7;
  return initialized ? kSuccess : kNotReady;
}

int hipSetDevice(int device) {
  selected = device;
  return device == 7 ? kSuccess : 101;
}

int hipDeviceGetName(char* name, int size, int device) {
  snprintf(name, (size_t)size, "Played HIP device");
  return device == selected ? kSuccess : 101;
}

int hipRuntimeGetVersion(int* version) {
  *version = 60342134;
  return kSuccess;
}

int hipModuleLoadData(char** module, const void* image) {
  if (memcmp(image, kMark, sizeof(kMark)) != 0) return kBadImage;
  *module = strdup((const char*)image + sizeof(kMark));
  return kSuccess;
}

int hipModuleGetFunction(char** function, const char* module, const char* name) {
  char declaration[128];
  snprintf(declaration, sizeof(declaration), "__global__ void %s(", name);
  // A kernel that the device has lost.
  if (strstr(module, declaration) == NULL || strcmp(name, "trunc_float") == 0) return kNotFound;
  *function = strdup(name);
  return kSuccess;
}

int hipMalloc(void** pointer, size_t size) {
  *pointer = malloc(size);
  return kSuccess;
}

int hipFree(void* pointer) {
  free(pointer);
  return kSuccess;
}

int hipMemcpyHtoD(void* to, const void* from, size_t size) {
  memcpy(to, from, size);
  return kSuccess;
}

int hipMemcpyDtoH(void* to, const void* from, size_t size) {
  memcpy(to, from, size);
  return kSuccess;
}

int hipMemsetD8(void* to, unsigned char value, size_t size) {
  memset(to, value, size);
  return kSuccess;
}

int hipModuleLaunchKernel(const char* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned x, unsigned y, unsigned z, unsigned shared, void* stream,
                          void** arguments, void** extra) {
  if (grid_y * grid_z * y * z != 1 || shared != 0 || stream != NULL || extra != NULL)
    return kLaunchFailure;
  const int is_copysign = strcmp(function, "copysign_float") == 0,
            is_frexp = strcmp(function, "frexp_double") == 0;
  if (!is_copysign && !is_frexp && strcmp(function, "fma_half") != 0) return kLaunchFailure;
  const uint32_t count = *(const uint32_t*)arguments[strcmp(function, "fma_half") == 0 ? 4 : 3];
  // As on a GPU, items beyond the grid are left alone.
  for (uint32_t i = 0; i < count && i < grid_x * x; ++i) {
    if (is_copysign) {
      const uint32_t a = (*(uint32_t**)arguments[0])[i], b = (*(uint32_t**)arguments[1])[i];
      (*(uint32_t**)arguments[2])[i] = (a & 0x7fffffffu) | (b & 0x80000000u);
    } else if (is_frexp) {
      const double a = (*(double**)arguments[0])[i];
      int exponent = 0;
      (*(double**)arguments[1])[i] = isfinite(a) ? frexp(a, &exponent) : a;
      (*(int32_t**)arguments[2])[i] = exponent;
    } else {
      (*(uint16_t**)arguments[3])[i] =
          (*(uint16_t**)arguments[2])[i];  // wrong: z in place of x * y + z
    }
  }
  return kSuccess;
}
