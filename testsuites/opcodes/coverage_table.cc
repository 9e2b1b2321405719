// docs/coverage.md, from what the jobs and the refused modules show.
#include <fmt/format.h>

#include <algorithm>

#include "testsuites/opcodes/evidence.h"

namespace assay::testsuites {
namespace {

// Where the tests of a class of instructions are: they are named rather than others in which the
// instruction happens to stand.
std::string_view FolderOf(const InstructionRow& row) {
  struct Folder {
    std::string_view group;
    std::string_view folder;
  };
  constexpr Folder kFolders[] = {
      {"Annotation", "silent/"},
      {"Arithmetic", "integers/"},
      {"Atomic", "atomics/"},
      {"Barrier", "groups/"},
      {"Bit", "integers/"},
      {"Composite", "composites/"},
      {"Control-Flow", "control_flow/"},
      {"Conversion", "conversions/"},
      {"Constant-Creation", "constants/"},
      {"Debug", "silent/"},
      {"Device-Side_Enqueue", "enqueue/"},
      {"Extension", "silent/"},
      {"Function", "functions/"},
      {"Group", "groups/"},
      {"Memory", "memory/"},
      {"Miscellaneous", "silent/"},
      {"Relational_and_Logical", "integers/"},
      {"Mode-Setting", "silent/"},
  };
  for (const Folder& entry : kFolders) {
    if (entry.group != row.group) continue;
    const bool is_float = row.name.starts_with("OpF") || row.name.starts_with("OpIs");
    return entry.folder == "integers/" && is_float && row.name != "OpFunction" ? "floats/"
                                                                               : entry.folder;
  }
  return "";
}

const std::string& Witness(const std::vector<std::string>& jobs, std::string_view folder) {
  const auto found = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const std::string& job) { return job.starts_with(folder); });
  return found == jobs.end() ? jobs.front() : *found;
}

constexpr std::string_view kIntroduction =
    R"(# Which instructions assay executes

Written by `testsuites_tests` (`./dev bless -R OpcodeCoverage`), which fails when this is out of date and when an
instruction of the OpenCL environment's core or required capabilities is neither executed nor refused.

*Executed* names one job of [testsuites/opcodes](../testsuites/opcodes/README.md) that executes the instruction and
has the right results; other jobs may execute it, too. For instructions without a step of execution (types, constants,
annotations, debug information) the job's module contains the instruction. *Refused* quotes the message for a
kernel that reaches the instruction. Such a kernel is refused before it is launched, never while it runs. The other
kernels of its module can be executed.

Status: `core` needs no capability. `required` and `required-if` are the OpenCL SPIR-V environment's required
capabilities. `optional-khr` comes with a KHR extension of that specification, `optional-ext` with a SPIR-V
extension that it does not list. `excluded-in-practice` cannot be used by its rules.
)";

struct Summary {
  int executed = 0;
  int refused = 0;
};

std::string Row(const InstructionRow& row, std::string_view status, std::string_view text) {
  return fmt::format("| {} | {} | {}{} |\n", row.number, row.name,
                     status.empty() ? "" : fmt::format("{} | ", status), text);
}

}  // namespace

Expected<std::string> CoverageTable() {
  const auto executed = RunOpcodeJobs();
  if (!executed) return tl::unexpected<Error>(executed.error());
  const auto refused = RefuseModules();
  if (!refused) return tl::unexpected<Error>(refused.error());
  std::string missing;
  Summary core;
  std::string core_rows;
  for (const InstructionRow& row : CoreInstructions()) {
    auto found = executed->find(row.name);
    // An extension of another vendor may have given the number another name before.
    if (found == executed->end()) {
      found = executed->find(frontend::NameOf(static_cast<frontend::Op>(row.number)));
    }
    if (found != executed->end()) {
      ++core.executed;
      core_rows += Row(row, row.status, "executed: " + Witness(found->second, FolderOf(row)));
      continue;
    }
    std::string reason;
    const auto refusal = RefusalOf(row);
    if (refusal) {
      reason = *refusal;
    } else if (const auto found = refused->find(row.name); found != refused->end()) {
      reason = found->second;
    } else {
      missing += fmt::format("{} ({}): {}\n", row.name, row.status, refusal.error().message);
      continue;
    }
    ++core.refused;
    core_rows += Row(row, row.status, "refused: " + reason);
  }
  Summary standard;
  std::string standard_rows;
  for (const InstructionRow& row : StandardInstructions()) {
    const auto found = executed->find("OpExtInst " + row.name);
    if (found == executed->end()) {
      missing += "OpenCL.std " + row.name + '\n';
      continue;
    }
    ++standard.executed;
    standard_rows += Row(row, "", "executed: " + found->second.front());
  }
  if (!missing.empty()) {
    return Fail(ErrorKind::kInternal, "neither executed nor refused by name:\n" + missing);
  }
  return fmt::format(
      "{}\n## SPIR-V\n\n{} instructions are executed, {} are refused.\n\n"
      "| number | instruction | status | |\n|---|---|---|---|\n{}\n## OpenCL.std\n\n"
      "All {} instructions are executed.\n\n| number | instruction | |\n|---|---|---|\n{}",
      kIntroduction, core.executed, core.refused, core_rows, standard.executed, standard_rows);
}

}  // namespace assay::testsuites
