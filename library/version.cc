#include "assay/version.h"

#include <string>

#include "numerics/truth_version.h"

namespace assay::api {
inline namespace v1 {

const char* LibraryVersion() { return ASSAY_LIBRARY_VERSION; }
const char* TruthVersion() {
  static const std::string version = numerics::TruthVersion();
  return version.c_str();
}

}  // namespace v1
}  // namespace assay::api
