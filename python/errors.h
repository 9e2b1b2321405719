// Errors of assay as exceptions of Python: the only room in which exceptions tell them.
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "assay/result.h"
#include "base/expected.h"

namespace assay::python {

// Becomes the class of assay/_errors.py that belongs to the kind (module.cc).
class Raised : public std::runtime_error {
 public:
  Raised(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <typename T>
T ValueOf(Expected<T> expected) {
  if (!expected) throw Raised(expected.error().kind, expected.error().message);
  return std::move(*expected);
}
inline void Check(const Expected<void>& expected) {
  if (!expected) throw Raised(expected.error().kind, expected.error().message);
}
template <typename T>
T ValueOf(api::Result<T> result) {
  if (result) return std::move(result.value());
  throw Raised(static_cast<ErrorKind>(result.error().kind), result.error().message);
}

}  // namespace assay::python
