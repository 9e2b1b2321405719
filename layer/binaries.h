// Of which source the binaries of programs are.
//
// An application that keeps compiled kernels asks for their binaries once, and makes programs of
// them afterwards, in the same process or in later ones.  The layer sees both.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "layer/records.h"

namespace assay::layer {

class KnownBinaries {
 public:
  // The driver has given the binary to the application.  Where another build had the same one, the
  // later one counts.
  void Remember(std::string_view binary, const std::shared_ptr<const Build>& build);
  // Null where no process that assay judged has had it; the oldest are forgotten.
  std::shared_ptr<const Build> Find(std::string_view binary);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Build>> builds_;  // by the digests of binaries
};

// Why a launch of such a program is not captured, and what its user can do: "... set
// PYOPENCL_NO_CACHE=1 ...".
std::string UnknownBinary();

}  // namespace assay::layer
