// Errors as values: every function of assay that can fail returns a value or an error with a
// message for the user.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace assay {

// The kinds of errors; they correspond to the documented exit codes (docs/cli.md).
enum class ErrorKind {
  kUsage,        // exit 2: the caller asked for something that does not exist, or a file is bad
  kUnsupported,  // exit 3: a well-formed request that this device or this version cannot serve
  kDevice,       // exit 4: the device under test or the machine failed
  kInternal,     // exit 5: assay itself is wrong
};

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;  // names the file, the place and the remedy
};

template <typename T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> Fail(ErrorKind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message)});
}

}  // namespace assay
