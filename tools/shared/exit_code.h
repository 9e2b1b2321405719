// Exit codes of every command (docs/cli.md).
#pragma once

#include "base/expected.h"

namespace assay::tools {

enum ExitCode : int {
  kExitConforming = 0,     // conforming, nothing found
  kExitNonconforming = 1,  // nonconforming, undefined behaviour found
  kExitUsage = 2,          // usage or bad input
  kExitUnsupported = 3,    // only unsupported things were requested
  kExitDevice = 4,         // the device or the machine failed
  kExitInternal = 5,       // assay itself is wrong
  kExitInterrupted = 130,  // Ctrl-C, by the shell's convention; partial results were kept
};

inline int ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return kExitUsage;
    case ErrorKind::kUnsupported:
      return kExitUnsupported;
    case ErrorKind::kDevice:
      return kExitDevice;
    case ErrorKind::kInternal:
      return kExitInternal;
  }
  return kExitInternal;
}

// Prints "assay: error: ..." on stderr and gives the code.
int ReportError(const Error& error);

}  // namespace assay::tools
