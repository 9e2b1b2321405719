// Errors as values, for all of assay's public headers.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace assay::api {
inline namespace v1 {

enum class ErrorKind {
  kUsage,        // the caller asked for something that does not exist, or a file is bad
  kUnsupported,  // a well-formed request that this version cannot serve
  kDevice,       // a limit was reached, or the machine failed
  kInternal,     // assay itself is wrong
};

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;  // names the place and the remedy
};

// A value or an error.  value() of an error, and error() of a value, throw std::bad_variant_access.
template <typename T>
class Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return content_.index() == 0; }
  T& value() { return std::get<0>(content_); }
  const T& value() const { return std::get<0>(content_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, Error> content_;
};

}  // namespace v1
}  // namespace assay::api
