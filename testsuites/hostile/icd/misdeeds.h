// What a driver can do to the process that it lives in.
#pragma once

#include <string_view>

namespace assay::hostile {

// "segv", "abort", "hang", "flood", "fork", ...; other words are faults of another kind, and
// nothing happens here.
void Misbehave(std::string_view word);

}  // namespace assay::hostile
