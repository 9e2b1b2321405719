// Findings about a kernel, as data; text, JSON and the debug adapter are made from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::interp {

enum class FindingClass : std::uint8_t {
  kUndefinedBehavior,      // an error of the kernel
  kUndefinedValue,         // an undefined value decided something
  kImplementationDefined,  // a portability hazard
  kInvalidModule,
  kUnsupported,    // not executed here; says nothing about the kernel
  kResourceLimit,  // instructions, time or memory ran out; says nothing about the kernel
  kObservation,    // a requested observation, no error
};
std::string_view FindingClassName(FindingClass finding_class);  // "undefined-behavior"

// An instruction of the module with the calls around it, innermost first.  If calls are kept
// (interp/import/call_plan.h), they are those of the reported work-item.
struct Place {
  std::uint32_t instruction = 0;  // place in frontend::Module::instructions
  std::vector<std::uint32_t> calls;
};

struct Finding {
  FindingClass finding_class = FindingClass::kUndefinedBehavior;
  std::string rule;     // stable: "memory-out-of-bounds"
  std::string message;  // one sentence, with the object and the offset
  Place place;
  std::string source;                                  // "reduce.cl:14:9"; "" where it is not known
  std::string instruction;                             // "%31 = OpLoad %float %30 Aligned 4"
  std::array<std::uint64_t, 3> global_id = {0, 0, 0};  // of the first work-item that did it
  std::array<std::uint64_t, 3> group_id = {0, 0, 0};
  std::string object;                // of a data race: its object, "local memory 'tile'"
  std::vector<std::string> history;  // "allocated here: ...", "the other access: ..."
  std::uint64_t count = 1;           // how often it happened at this place
  bool after_undefined_behavior = false;
};

}  // namespace assay::interp
