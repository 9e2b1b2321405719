// What `assay validate` and its child `assay serve` say to each other: JSON messages, each behind a
// 32-bit length, on two pipes.  Both ends are the same program, so there is no version to agree on.
//
//   child   {"description": {...}}, or {"error": ...} where the device cannot be opened
//   parent  {"id": 7, "prepare": {"name": "sin", "format": "float", "widths": [1, 4], "math": 0,
//            "options": ""}}
//   child   {"id": 7} or {"id": 7, "error": {"kind": 1, "message": "..."}}
//   parent  {"id": 8, "run": {"width": 4, "count": 1048576, "size": 8388608, "inputs": [0],
//            "outputs": [4194304]}}
//   child   {"id": 8, "notes": ["changes ..."]} or {"id": 8, "error": ...}
//   parent  {"id": 9, "images": {"request": {...}, "size": 8192, "inputs": [...], "outputs":
//   [...]}} child   as for "run"; the request is that of oracle/devices/image_request.h
//   parent  {"id": 10, "kernel": {...}}: the same of oracle/devices/kernel_request.h
//   parent  {"id": 10, "check_range": {"first": 0, "count": 65536}}
//   parent  {"id": 11, "range": {"width": 1, "first": 4194304, "count": 4177920, "shifts": [7],
//            "at": 1073741824, "size": 16723968, "outputs": [4096]}}
//   child   as for "run"; the requests are those of oracle/devices/range.h
//
// The columns lie in shared memory at the given offsets; the child has it as kInheritedFd.  An
// answer has the number of its request, and nothing is said that was not asked for: a driver or a
// library shares the child with the protocol and may write into it, or be there twice after fork.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/device.h"

namespace assay::oracle::wire {

inline constexpr std::uint32_t kMaxMessage = 1 << 24;

nlohmann::json ToJson(const DeviceDescription& description);
nlohmann::json ToJson(const Error& error);
nlohmann::json ToJson(const TaskSpec& task);

Expected<DeviceDescription> DescriptionFromJson(const nlohmann::json& json);
Expected<TaskSpec> TaskFromJson(const nlohmann::json& json);
// The content of an answer.
struct Answer {
  std::uint64_t id = 0;
  std::optional<Error> error;
  std::vector<std::string> notes;          // Device::TakeNotes
  std::optional<std::string> made_others;  // AnswersRanges::CheckRange
};
// kDevice where the message is no answer.
Expected<Answer> AnswerFromJson(const nlohmann::json& json);

// The length and the text.
std::string Frame(const nlohmann::json& message);
// kInternal where the text is no JSON object.
Expected<nlohmann::json> Parse(const std::string& text);

}  // namespace assay::oracle::wire
