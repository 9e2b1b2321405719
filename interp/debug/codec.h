// Messages of the debugger as JSON: {"NAME": {MEMBERS}}.  No other file names their members.
#pragma once

#include <string>
#include <string_view>

#include "base/expected.h"
#include "interp/debug/messages.h"

namespace assay::interp::debug {

// Bytes of a text that are not UTF-8 become U+FFFD.  Numbers that are not finite keep their class.
std::string Encode(const Request& request);
std::string Encode(const Message& message);

// kInternal says which member is missing or has another type, and where.
Expected<Request> DecodeRequest(std::string_view text);
Expected<Message> DecodeMessage(std::string_view text);

}  // namespace assay::interp::debug
