// Source locations of instructions and names of variables: OpLine, OpenCL.DebugInfo.100 and
// NonSemantic.Shader.DebugInfo.100 in one form.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

class Module;

struct SourceLocation {
  std::uint32_t file = 0;  // place in DebugInfo::files; 0 is no file
  std::uint32_t line = 0;  // from 1; 0: not known
  std::uint32_t column = 0;
  Id scope = 0;       // the DebugFunction, DebugLexicalBlock, ... around it; 0: none
  Id inlined_at = 0;  // the DebugInlinedAt of the call it was inlined into; 0: none

  bool IsKnown() const { return line != 0; }
};

struct DebugFile {
  std::string path;
  std::string text;  // "" where the module does not carry its source
};

// An instruction of a debug information set as it stands, for a debugger to interpret.
struct DebugRecord {
  ExtendedSet set = ExtendedSet::kUnknown;
  std::uint32_t number = 0;       // OpenClDebugInfo100 or ShaderDebugInfo100
  std::uint32_t instruction = 0;  // place in Module::instructions
};

// DebugDeclare or DebugValue: from its instruction on, `target` is (or its address holds) the
// variable.
struct DebugVariable {
  std::string name;
  std::string type;   // as source would write it: "float4*"; "?" where it is not known
  Id variable = 0;    // the DebugLocalVariable
  Id target = 0;      // an OpVariable or a value
  Id expression = 0;  // the DebugExpression
  Id scope = 0;       // the variable's own
  std::uint32_t line = 0;
  std::uint32_t argument = 0;     // from 1; 0: not a parameter
  std::uint32_t instruction = 0;  // place in Module::instructions
  bool is_declare = false;        // `target` is its address, for as long as its scope lasts
};

struct DebugInfo {
  std::vector<DebugFile> files = {{}};    // 0 is no file
  std::vector<SourceLocation> locations;  // by place in Module::instructions
  std::unordered_map<Id, DebugRecord> records;
  // Records that lead back to themselves (debug_endless.h): as if they were not there.
  std::unordered_set<Id> left_out;
  bool is_opencl_c = false;              // OpSource says that it was compiled from OpenCL C, or C++
  std::vector<DebugVariable> variables;  // in the order of their instructions

  const DebugRecord* Find(Id id) const {
    const auto found = records.find(id);
    return found == records.end() ? nullptr : &found->second;
  }
};

// Reads the debug information of a module whose instructions and constants are decoded.  Malformed
// records are left out: debug information never makes a module unusable, and its records have no
// cycles.
DebugInfo ReadDebugInfo(const Module& module);

// "kernel.cl:12:5", or "" where it is not known.
std::string DescribeLocation(const DebugInfo& debug_info, const SourceLocation& location);

}  // namespace assay::frontend
