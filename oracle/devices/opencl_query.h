// Queries to a device or a platform, with checked answers.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/expected.h"
#include "oracle/devices/opencl_loader.h"

namespace assay::oracle {

// The first question that goes wrong is kept; the ones after it are not asked any more and give
// nothing, so that a caller asks all that it wants and looks at error() once.
class OpenClQuery {
 public:
  // clGetDeviceInfo or clGetPlatformInfo of one object.
  using Call = std::function<cl_int(cl_uint what, std::size_t size, void* value, std::size_t* ret)>;
  // `subject` and `function` are for messages: "Portable:0", "clGetDeviceInfo".
  OpenClQuery(std::string subject, std::string function, Call call)
      : subject_(std::move(subject)), function_(std::move(function)), call_(std::move(call)) {}

  // Text made printable (oracle/devices/opencl_text.h).
  std::string Text(cl_uint what, const char* name);
  // A list of bytes whose size is a multiple of `element`.
  std::string Bytes(cl_uint what, const char* name, std::size_t element);
  template <typename T>
  T Value(cl_uint what, const char* name) {
    T value{};
    Exactly(what, name, sizeof value, &value);
    return value;
  }
  // Nothing where the device does not know the question (CL_INVALID_VALUE).
  template <typename T>
  std::optional<T> ValueIfKnown(cl_uint what, const char* name) {
    if (!Knows(what)) return std::nullopt;
    return Value<T>(what, name);
  }
  bool Knows(cl_uint what) const;
  // The answer to the question makes no sense.
  void Refuse(const char* name, const std::string& why);
  const std::optional<Error>& error() const { return error_; }

 private:
  void Exactly(cl_uint what, const char* name, std::size_t size, void* value);
  bool Succeeded(cl_int status, const char* name);

  std::string subject_;
  std::string function_;
  Call call_;
  std::optional<Error> error_;
};

}  // namespace assay::oracle
