// Base64 (RFC 4648, section 4), as the protocol writes memory; bytes are hexadecimal digits, as the
// debugger's server writes them.
#pragma once

#include <string>
#include <string_view>

#include "base/expected.h"

namespace assay::tools::dap {

std::string Base64OfHex(std::string_view hex);
// kUsage if it is not Base64.
Expected<std::string> HexOfBase64(std::string_view text);

}  // namespace assay::tools::dap
