// What every entry point does: take the lock, find the objects, tell what is wrong.
//
//   cl_int CL_API_CALL clRetainContext(cl_context context) {
//     return Enter("clRetainContext", [&](Call& call) { call.Find<Context>(context).Retain(); });
//   }
//   cl_mem CL_API_CALL clCreateBuffer(cl_context context, ..., cl_int* errcode_ret) {
//     return Create<cl_mem>("clCreateBuffer", errcode_ret,
//                           [&](Call& call) { return MakeBuffer(call.Find<Context>(context), ...);
//                           });
//   }
#pragma once

#include <CL/cl.h>

#include <concepts>
#include <exception>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "driver/core/driver.h"
#include "driver/core/error.h"
#include "driver/core/object.h"
#include "driver/report/frames.h"

namespace assay::driver {

class Call {
 public:
  explicit Call(const char* name) : name_(name), lock_(Driver::Get().mutex) {
    ++Driver::Get().calls;
    Driver::Get().TellPostponed();
  }

  const char* name() const { return name_; }
  // For a call that waits, or works without the lock.
  std::unique_lock<std::mutex>& lock() { return lock_; }

  // Throws the kind's code for what is no living object of T's kind.
  template <typename T>
  T& Find(const void* handle) {
    return static_cast<T&>(FindObject(handle, T::kKind));
  }
  // The same for what the application is to have a reference to, which it gives back.
  template <typename T>
  T& FindReference(const void* handle) {
    return static_cast<T&>(FindToRelease(handle, T::kKind));
  }
  template <typename T>
  void Release(const void* handle) {
    FindReference<T>(handle).Release();
  }

 private:
  Object& FindObject(const void* handle, Kind kind);
  Object& FindToRelease(const void* handle, Kind kind);

  const char* name_;
  std::unique_lock<std::mutex> lock_;
  Driver::InCall in_call_;
};

// Records the error where checks are on.
void TellError(const char* call, const ApiError& error);
// Records a misuse that has no error code; of the call that the thread is in, or of another one.
void TellMisuse(const char* call, interp::Rule rule, std::string message,
                std::vector<std::string> history = {}, const CallStack* stack = nullptr,
                std::vector<RelatedCall> related = {});
// An application looked up a function of an extension, and there is none of this name.
void TellMissingFunction(const char* name);
// While one exists, a call changes the state of an object that threads must not change at the same
// time (OpenCL API, appendix A, "Multiple Host Threads").  Made before the call has the lock.
class ObjectChange {
 public:
  explicit ObjectChange(const void* handle);
  ~ObjectChange();
  ObjectChange(const ObjectChange&) = delete;
  // Another thread was in such a call when this one began.
  bool IsConcurrent() const { return is_concurrent_; }

 private:
  const void* handle_;
  bool is_on_;
  bool is_concurrent_ = false;
};

// While one exists, its thread is in a function that the application gave for `of`: "an event".
class InCallback {
 public:
  explicit InCallback(const char* of);
  ~InCallback();
  InCallback(const InCallback&) = delete;
};
// Of a call that blocks, or makes a context or a command queue: callbacks must not make it.
void TellIfInCallback(const char* call);
// The code of the exception that is being handled.
cl_int CodeOfException(const char* call);

template <typename Body>
cl_int Enter(const char* name, Body&& body) {
  try {
    Call call(name);
    if constexpr (std::is_void_v<decltype(body(call))>) {
      body(call);
      return CL_SUCCESS;
    } else {
      return body(call);
    }
  } catch (...) {
    return CodeOfException(name);
  }
}

// The body returns a new object, or a pointer to memory.
template <typename ApiType, typename Body>
ApiType Create(const char* name, cl_int* errcode_ret, Body&& body) {
  cl_int code = CL_SUCCESS;
  ApiType created = nullptr;
  try {
    Call call(name);
    auto* result = body(call);
    if constexpr (std::derived_from<std::remove_pointer_t<decltype(result)>, Object>) {
      created = ToApi<ApiType>(result);
    } else {
      created = static_cast<ApiType>(result);
    }
  } catch (...) {
    code = CodeOfException(name);
  }
  if (errcode_ret != nullptr) *errcode_ret = code;
  return created;
}

}  // namespace assay::driver
