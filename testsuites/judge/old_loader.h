// An ICD loader that knows no layers, as Khronos' was before 2021, linked into the program: compile
// an application with
// `-include old_loader.h`.  It opens the drivers of OCL_ICD_FILENAMES and those of the folder
// OCL_ICD_VENDORS, and calls through the table of each object.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_platform_id old_platforms[16];
static cl_uint old_count;

static void OldOpen(const char* name) {
  typedef cl_int (*GetPlatforms)(cl_uint, cl_platform_id*, cl_uint*);
  void* driver = dlopen(name, RTLD_NOW);
  if (driver == NULL) return;
  void* (*address)(const char*) =
      (void* (*)(const char*))dlsym(driver, "clGetExtensionFunctionAddress");
  GetPlatforms get = address == NULL ? NULL : (GetPlatforms)address("clIcdGetPlatformIDsKHR");
  cl_uint count = 0;
  if (get == NULL || get(0, NULL, &count) != CL_SUCCESS || old_count + count > 16) return;
  if (get(count, old_platforms + old_count, NULL) == CL_SUCCESS) old_count += count;
}

static cl_int OldPlatforms(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
  static char names[4096];
  const char* variable = getenv("OCL_ICD_FILENAMES");
  snprintf(names, sizeof names, "%s", variable == NULL ? "" : variable);
  for (char* name = strtok(names, ":"); name != NULL; name = strtok(NULL, ":")) OldOpen(name);
  const char* folder = getenv("OCL_ICD_VENDORS");
  DIR* vendors = opendir(folder == NULL ? "/etc/OpenCL/vendors" : folder);
  for (struct dirent* entry; vendors != NULL && (entry = readdir(vendors)) != NULL;) {
    char path[4096], driver[1024];
    if (strstr(entry->d_name, ".icd") == NULL) continue;
    snprintf(path, sizeof path, "%s/%s", folder == NULL ? "/etc/OpenCL/vendors" : folder,
             entry->d_name);
    FILE* file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%1023s", driver) == 1) OldOpen(driver);
    if (file != NULL) fclose(file);
  }
  if (vendors != NULL) closedir(vendors);
  for (cl_uint i = 0; i < room && i < old_count && platforms != NULL; ++i)
    platforms[i] = old_platforms[i];
  if (count != NULL) *count = old_count;
  return old_count == 0 ? CL_PLATFORM_NOT_FOUND_KHR : CL_SUCCESS;
}

#define OLD_CALL(object, name, ...) ((*(cl_icd_dispatch* const*)(object))->name(__VA_ARGS__))
#define clGetPlatformIDs OldPlatforms
#define clCreateContext(properties, count, devices, ...) \
  OLD_CALL(*(devices), clCreateContext, properties, count, devices, __VA_ARGS__)
#define clBuildProgram(object, ...) OLD_CALL(object, clBuildProgram, object, __VA_ARGS__)
#define clCompileProgram(object, ...) OLD_CALL(object, clCompileProgram, object, __VA_ARGS__)
#define clCreateContextFromType(properties, ...) \
  OLD_CALL((properties)[1], clCreateContextFromType, properties, __VA_ARGS__)
#define clGetContextInfo(object, ...) OLD_CALL(object, clGetContextInfo, object, __VA_ARGS__)
#define clCreateBuffer(object, ...) OLD_CALL(object, clCreateBuffer, object, __VA_ARGS__)
#define clCreateCommandQueue(object, ...) \
  OLD_CALL(object, clCreateCommandQueue, object, __VA_ARGS__)
#define clCreateImage(object, ...) OLD_CALL(object, clCreateImage, object, __VA_ARGS__)
#define clCreateKernel(object, ...) OLD_CALL(object, clCreateKernel, object, __VA_ARGS__)
#define clCreateProgramWithBinary(object, ...) \
  OLD_CALL(object, clCreateProgramWithBinary, object, __VA_ARGS__)
#define clCreateProgramWithSource(object, ...) \
  OLD_CALL(object, clCreateProgramWithSource, object, __VA_ARGS__)
#define clCreateSampler(object, ...) OLD_CALL(object, clCreateSampler, object, __VA_ARGS__)
#define clCreateSubBuffer(object, ...) OLD_CALL(object, clCreateSubBuffer, object, __VA_ARGS__)
#define clCreateUserEvent(object, ...) OLD_CALL(object, clCreateUserEvent, object, __VA_ARGS__)
#define clEnqueueFillBuffer(object, ...) OLD_CALL(object, clEnqueueFillBuffer, object, __VA_ARGS__)
#define clEnqueueNDRangeKernel(object, ...) \
  OLD_CALL(object, clEnqueueNDRangeKernel, object, __VA_ARGS__)
#define clEnqueueReadBuffer(object, ...) OLD_CALL(object, clEnqueueReadBuffer, object, __VA_ARGS__)
#define clEnqueueSVMMap(object, ...) OLD_CALL(object, clEnqueueSVMMap, object, __VA_ARGS__)
#define clEnqueueSVMUnmap(object, ...) OLD_CALL(object, clEnqueueSVMUnmap, object, __VA_ARGS__)
#define clEnqueueTask(object, ...) OLD_CALL(object, clEnqueueTask, object, __VA_ARGS__)
#define clFinish(object) OLD_CALL(object, clFinish, object)
#define clFlush(object) OLD_CALL(object, clFlush, object)
#define clGetDeviceIDs(object, ...) OLD_CALL(object, clGetDeviceIDs, object, __VA_ARGS__)
#define clGetDeviceInfo(object, ...) OLD_CALL(object, clGetDeviceInfo, object, __VA_ARGS__)
#define clGetProgramInfo(object, ...) OLD_CALL(object, clGetProgramInfo, object, __VA_ARGS__)
#define clLinkProgram(object, ...) OLD_CALL(object, clLinkProgram, object, __VA_ARGS__)
#define clReleaseCommandQueue(object) OLD_CALL(object, clReleaseCommandQueue, object)
#define clReleaseContext(object) OLD_CALL(object, clReleaseContext, object)
#define clReleaseEvent(object) OLD_CALL(object, clReleaseEvent, object)
#define clReleaseKernel(object) OLD_CALL(object, clReleaseKernel, object)
#define clReleaseMemObject(object) OLD_CALL(object, clReleaseMemObject, object)
#define clReleaseProgram(object) OLD_CALL(object, clReleaseProgram, object)
#define clReleaseSampler(object) OLD_CALL(object, clReleaseSampler, object)
#define clSVMAlloc(object, ...) OLD_CALL(object, clSVMAlloc, object, __VA_ARGS__)
#define clSVMFree(object, ...) OLD_CALL(object, clSVMFree, object, __VA_ARGS__)
#define clSetKernelArg(object, ...) OLD_CALL(object, clSetKernelArg, object, __VA_ARGS__)
#define clSetKernelArgSVMPointer(object, ...) \
  OLD_CALL(object, clSetKernelArgSVMPointer, object, __VA_ARGS__)
#define clSetUserEventStatus(object, ...) \
  OLD_CALL(object, clSetUserEventStatus, object, __VA_ARGS__)
