#include "oracle/devices/opencl_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "oracle/devices/opencl_text.h"

namespace assay::oracle {
namespace {

// Lists of extensions have some ten thousand bytes.
constexpr std::size_t kMostBytes = std::size_t{1} << 18;

}  // namespace

void OpenClQuery::Refuse(const char* name, const std::string& why) {
  if (error_) return;
  error_ = Error{ErrorKind::kDevice,
                 fmt::format("{}: {}({}) {}; a device that cannot be asked what it is cannot be "
                             "judged, and the driver has to be mended",
                             subject_, function_, name, why)};
}

bool OpenClQuery::Succeeded(cl_int status, const char* name) {
  if (status == CL_SUCCESS) return true;
  Refuse(name, fmt::format("failed with {}", OpenClErrorName(status)));
  return false;
}

bool OpenClQuery::Knows(cl_uint what) const {
  std::size_t size = 0;
  return !error_ && call_(what, 0, nullptr, &size) != CL_INVALID_VALUE;
}

std::string OpenClQuery::Bytes(cl_uint what, const char* name, std::size_t element) {
  std::size_t size = 0;
  if (error_ || !Succeeded(call_(what, 0, nullptr, &size), name)) return "";
  if (size > kMostBytes) {
    Refuse(name, fmt::format("says that its answer has {} bytes; assay takes up to {}", size,
                             kMostBytes));
    return "";
  }
  if (size == 0 || size % element != 0) {
    Refuse(name, fmt::format("gave {} bytes", size));
    return "";
  }
  std::string bytes(size, '\0');
  std::size_t given = size;
  if (!Succeeded(call_(what, size, bytes.data(), &given), name)) return "";
  if (given != size) {
    Refuse(name, fmt::format("said that its answer has {} bytes, and then gave {}", size, given));
    return "";
  }
  return bytes;
}

std::string OpenClQuery::Text(cl_uint what, const char* name) {
  return PrintableText(Bytes(what, name, 1));
}

void OpenClQuery::Exactly(cl_uint what, const char* name, std::size_t size, void* value) {
  std::size_t given = size;
  std::vector<char> bytes(size);
  if (error_ || !Succeeded(call_(what, size, bytes.data(), &given), name)) return;
  if (given != size) {
    Refuse(name, fmt::format("gave {} bytes instead of {}", given, size));
    return;
  }
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(value));
}

}  // namespace assay::oracle
