// The faults of the hostile driver, chosen by the environment.
//
// ASSAY_HOSTILE_ICD is a list of words with commas between them: "gpu,store_nothing".  A word may
// say where or how much: "segv@build", "fail@CL_DEVICE_NAME", "store_nothing@4".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::hostile {

// Is the word there, with any place?
bool Has(std::string_view word);
// What stands behind the '@' of the word; nothing where the word is not there.
std::optional<std::string> PlaceOf(std::string_view word);
// Is the word there with this place?
bool HasAt(std::string_view word, std::string_view place);
// The place as a number; `otherwise` where there is none.
std::uint64_t NumberOf(std::string_view word, std::uint64_t otherwise);

// A stage of the driver's life: does what the words with this place say.  Some do not return.
// "load", "platforms", "devices", "info", "context", "queue", "source", "build", "kernel", "arg",
// "buffer", "write", "launch", "read", "map", "unmap", "finish", "release", "unload"; and for
// ranges "check:2", "range:2", "sample:2", "sent:2" (queue.cc).
void Enter(std::string_view stage);

// The error that the call of this stage has to give, CL_SUCCESS mostly.  "error@launch" gives
// CL_OUT_OF_RESOURCES at once, "error_after@launch:3" from the fourth call on.
int ErrorAt(std::string_view stage);

}  // namespace assay::hostile
