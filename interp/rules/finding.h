// Findings about a kernel, as data; text, JSON and the debug adapter are made from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::interp {

enum class FindingClass : std::uint8_t {
  kUndefinedBehavior,      // an error of the kernel
  kUndefinedValue,         // an undefined value decided something
  kImplementationDefined,  // a portability hazard
  kResourceLimit,          // instructions, time or memory ran out; says nothing about the kernel
  kObservation,            // something that was asked for, and no mistake
};
std::string_view FindingClassName(FindingClass finding_class);  // "undefined-behavior"

// What is wrong, by the rows of rules.def; interp/rules/rule.h has the enumerators.
enum class Rule : std::uint8_t;
std::string_view NameOf(Rule rule);  // "memory-out-of-bounds"

// An instruction of the module with the calls around it, innermost first.  Where calls are kept
// (interp/import/call_plan.h) they are those of the work-item that is told.
struct Place {
  std::uint32_t instruction = 0;  // place in frontend::Module::instructions
  std::vector<std::uint32_t> calls;
};

struct Finding {
  explicit Finding(Rule told) { TellAs(told); }
  // The class is that of the row; a variant becomes the rule that it is reported as.
  void TellAs(Rule told);

  Rule rule{};
  FindingClass finding_class{};
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
