// Which instructions the jobs of this folder execute, which modules with others are refused, and
// the table of both (docs/coverage.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"
#include "testsuites/kernels/run_job.h"

namespace assay::testsuites {

// testsuites/opcodes.
std::filesystem::path OpcodesFolder();
// Its jobs, as "integers/arithmetic_uint"; the modules in refused/ and hostile/, as
// "refused/images".
std::vector<std::string> OpcodeJobs();
std::vector<std::string> RefusedModules();
std::vector<std::string> HostileModules();

// What the first line of a module in those folders says after "; refused: " or "; error: ".
Expected<std::string> Announced(const std::string& path);

// What differs from the job's expectations, in words; padding of vectors of three is left out.
std::vector<std::string> Differences(const interp::Job& job, const InterpreterOutcome& outcome);

// A row of testsuites/spec/opcode_coverage.tsv or opencl_std.tsv.
struct InstructionRow {
  std::uint32_t number = 0;
  std::string name;
  std::string group;                      // "Arithmetic", "math"
  std::vector<std::string> capabilities;  // any of them; empty: none
  std::string status;                     // "core", "required-if", ...; empty for OpenCL.std
};
std::vector<InstructionRow> CoreInstructions();
std::vector<InstructionRow> StandardInstructions();

// By instruction ("OpIAdd", "OpExtInst sin"): the jobs that execute it, or in whose modules a
// declaration stands; "integers/arithmetic_uint".
using Executed = std::map<std::string, std::vector<std::string>>;
Expected<Executed> RunOpcodeJobs();

// By instruction: why a module in refused/ that has it is refused at load.  An error where one is
// not refused, or for another reason than the one that it says in its first line.
Expected<std::map<std::string, std::string>> RefuseModules();

// Why a module that needs the instruction is refused at load: its capability, or its number where
// the grammar does not have it.  An error where that is not so.
Expected<std::string> RefusalOf(const InstructionRow& row);

// docs/coverage.md.  An error for an instruction that is neither executed nor refused.
Expected<std::string> CoverageTable();

}  // namespace assay::testsuites
