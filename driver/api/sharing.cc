// Entry points of the dispatch table for sharing with GL, EGL, Direct3D and DX9, and others that
// the device does not have.  A loader calls what is in the table, so there is something: it
// refuses.
#include <type_traits>

#include "driver/api/entries.h"
#include "driver/core/call.h"

namespace assay::driver::api {

namespace {

// The last argument of a function that creates an object is errcode_ret.
template <typename... Args>
void SetError(cl_int code, Args... args) {
  const auto set_last = [code](auto last) {
    if constexpr (std::is_same_v<decltype(last), cl_int*>) {
      if (last != nullptr) *last = code;
    }
  };
  (set_last(args), ...);
}

template <typename Function>
struct Absent;
template <typename Result, typename... Args>
struct Absent<Result(CL_API_CALL*)(Args...)> {
  static Result CL_API_CALL Refuse(Args... args) {
    TellError("sharing with another API",
              {CL_INVALID_OPERATION,
               "the device shares nothing with GL, EGL, Direct3D or DX9",
               false,
               {}});
    if constexpr (std::is_pointer_v<Result>) {
      SetError(CL_INVALID_OPERATION, args...);
      return nullptr;
    } else {
      return CL_INVALID_OPERATION;
    }
  }
};

// Those whose types need a header of Windows are void* in the table.
using GetIds = cl_int(CL_API_CALL*)(cl_platform_id, cl_uint, void*, cl_uint, cl_uint, cl_device_id*,
                                    cl_uint*);
using GetIdsOfAdapters = cl_int(CL_API_CALL*)(cl_platform_id, cl_uint, cl_uint*, void*, cl_uint,
                                              cl_uint, cl_device_id*, cl_uint*);
using FromBuffer = cl_mem(CL_API_CALL*)(cl_context, cl_mem_flags, void*, cl_int*);
using FromTexture = cl_mem(CL_API_CALL*)(cl_context, cl_mem_flags, void*, cl_uint, cl_int*);
using FromSurface = cl_mem(CL_API_CALL*)(cl_context, cl_mem_flags, cl_uint, void*, cl_uint,
                                         cl_int*);
using EnqueueObjects = cl_int(CL_API_CALL*)(cl_command_queue, cl_uint, const cl_mem*, cl_uint,
                                            const cl_event*, cl_event*);

#define ASSAY_ABSENT(name) \
  entries->table.name = &Absent<std::remove_reference_t<decltype(entries->table.name)>>::Refuse
#define ASSAY_ABSENT_AS(name, type) \
  entries->table.name = reinterpret_cast<void*>(&Absent<type>::Refuse)

}  // namespace

void AddSharing(Entries* entries) {
  ASSAY_ABSENT(clCreateFromGLBuffer);
  ASSAY_ABSENT(clCreateFromGLTexture);
  ASSAY_ABSENT(clCreateFromGLTexture2D);
  ASSAY_ABSENT(clCreateFromGLTexture3D);
  ASSAY_ABSENT(clCreateFromGLRenderbuffer);
  ASSAY_ABSENT(clGetGLObjectInfo);
  ASSAY_ABSENT(clGetGLTextureInfo);
  ASSAY_ABSENT(clEnqueueAcquireGLObjects);
  ASSAY_ABSENT(clEnqueueReleaseGLObjects);
  ASSAY_ABSENT(clGetGLContextInfoKHR);
  ASSAY_ABSENT(clCreateEventFromGLsyncKHR);
  ASSAY_ABSENT(clCreateFromEGLImageKHR);
  ASSAY_ABSENT(clEnqueueAcquireEGLObjectsKHR);
  ASSAY_ABSENT(clEnqueueReleaseEGLObjectsKHR);
  ASSAY_ABSENT(clCreateEventFromEGLSyncKHR);
  ASSAY_ABSENT(clCreateSubDevicesEXT);
  ASSAY_ABSENT(clRetainDeviceEXT);
  ASSAY_ABSENT(clReleaseDeviceEXT);
  ASSAY_ABSENT_AS(clGetDeviceIDsFromD3D10KHR, GetIds);
  ASSAY_ABSENT_AS(clCreateFromD3D10BufferKHR, FromBuffer);
  ASSAY_ABSENT_AS(clCreateFromD3D10Texture2DKHR, FromTexture);
  ASSAY_ABSENT_AS(clCreateFromD3D10Texture3DKHR, FromTexture);
  ASSAY_ABSENT_AS(clEnqueueAcquireD3D10ObjectsKHR, EnqueueObjects);
  ASSAY_ABSENT_AS(clEnqueueReleaseD3D10ObjectsKHR, EnqueueObjects);
  ASSAY_ABSENT_AS(clGetDeviceIDsFromD3D11KHR, GetIds);
  ASSAY_ABSENT_AS(clCreateFromD3D11BufferKHR, FromBuffer);
  ASSAY_ABSENT_AS(clCreateFromD3D11Texture2DKHR, FromTexture);
  ASSAY_ABSENT_AS(clCreateFromD3D11Texture3DKHR, FromTexture);
  ASSAY_ABSENT_AS(clEnqueueAcquireD3D11ObjectsKHR, EnqueueObjects);
  ASSAY_ABSENT_AS(clEnqueueReleaseD3D11ObjectsKHR, EnqueueObjects);
  ASSAY_ABSENT_AS(clGetDeviceIDsFromDX9MediaAdapterKHR, GetIdsOfAdapters);
  ASSAY_ABSENT_AS(clCreateFromDX9MediaSurfaceKHR, FromSurface);
  ASSAY_ABSENT_AS(clEnqueueAcquireDX9MediaSurfacesKHR, EnqueueObjects);
  ASSAY_ABSENT_AS(clEnqueueReleaseDX9MediaSurfacesKHR, EnqueueObjects);
}

}  // namespace assay::driver::api
