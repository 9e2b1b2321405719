// Lists of detectors as users write them, for options and environment variables.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "interp/rules/detector.h"

namespace assay::interp {

struct DetectorListError {
  bool is_mixed = false;  // the list names some and leaves out others, without `all`
  std::string unknown;    // else the word that is no detector's name
};

// "all", "none", "races,groups", or "-alignment,-arithmetic": all but these.  A name may lack its
// plural's s ("race").  What `all` does not include may stand beside it: "all,nan".
tl::expected<DetectorSet, DetectorListError> ParseDetectorList(std::string_view text);

}  // namespace assay::interp
