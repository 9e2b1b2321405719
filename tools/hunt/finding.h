// What a hunt finds: a small program that a driver computes wrong, and why that is known.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/hunt/reduce.h"

namespace assay::tools {

// The module that the driver was given in place of OpenCL C.
struct HuntModule {
  std::string options;  // of assay's compilers
  std::vector<std::string> forms;
};

struct HuntFinding {
  std::string cause;                 // "rotate", "barrier+local_array": what is left, its group
  std::string verdict;               // NameOf(HuntVerdict)
  std::vector<std::string> types;    // of the operations that are left: "uchar4"
  std::vector<std::string> clauses;  // of the causes: "OpenCL C 6.15.3 (rotate)"
  std::string passes;                // "with and without -cl-opt-disable"
  std::string options;               // of clBuildProgram
  std::optional<HuntModule> module;
  std::uint32_t items = 0, local = 0;
  std::uint64_t program = 0;  // its number, of the hunt's seed
  std::string text;           // the small program
  int lines = 0;              // of it
  std::string what;           // "out_uchar[0] is 12 (0x0c), right is 13 (0x0d)"
  std::string second;         // what agrees with the right value: another compilation
  std::string folder;         // where its files are; "": nowhere
  std::uint64_t count = 1;    // programs of this group
};

std::string ModuleText(const HuntModule& module);  // "compiled with -O2, rewritten: phis, ids"
nlohmann::ordered_json HuntFindingJson(const HuntFinding& finding);
std::optional<HuntFinding> HuntFindingFromJson(const nlohmann::ordered_json& json);

// The causes of a group's name.
std::set<std::string> CausesIn(const std::string& cause);
// kUnreduced for more than eight.
inline constexpr std::string_view kUnreduced = "unreduced";
std::string GroupName(const std::vector<std::string>& causes, HuntVerdict verdict);
std::vector<std::string> ClausesOf(const std::vector<std::string>& causes);
std::vector<std::string> TypesIn(const HuntProgram& program);

// hunted.cl, hunted.spv where a driver was given a module, hunted.json (a job) with its buffers,
// hunted.c (a host program in C that needs only OpenCL), verdict.txt and, when all are there,
// kFindingFile.  kDevice where they cannot be written.
inline constexpr const char* kFindingFile = "finding.json";
Expected<void> WriteFinding(const std::string& folder, const HuntFinding& finding,
                            const HuntReduction& reduction, const std::string& standard);

// The host program: it builds the kernel, or the module, as the hunt did, and compares with the
// right bytes.
std::string HostProgram(const HuntFinding& finding, const interp::Job& job,
                        const HuntReduction& reduction,
                        const std::optional<frontend::Binary>& module);

}  // namespace assay::tools
