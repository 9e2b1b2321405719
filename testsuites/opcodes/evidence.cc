#include "testsuites/opcodes/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "frontend/capabilities.h"
#include "frontend/kernel_needs.h"
#include "frontend/load.h"

namespace assay::testsuites {

namespace fs = std::filesystem;

namespace {

// Files in folders that the predicate takes.
template <typename Predicate>
std::vector<std::string> FilesWith(std::string_view extension, Predicate&& is_wanted) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(OpcodesFolder())) {
    if (entry.path().extension() != extension) continue;
    fs::path name = fs::relative(entry.path(), OpcodesFolder());
    if (is_wanted(name.begin()->string())) names.push_back(name.replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::string field;
  for (std::istringstream rest(line); std::getline(rest, field, separator);) {
    fields.push_back(field);
  }
  return fields;
}

// The rows below the line of column names.
std::vector<std::vector<std::string>> ReadTable(std::string_view name) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(fs::path(ASSAY_SOURCE_DIR) / "testsuites/spec" / name);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('#')) rows.push_back(Split(line, '\t'));
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

// Instructions that take no step of execution: it is enough that they stand in what is executed.
bool IsDeclaration(std::string_view name, std::string_view group) {
  constexpr std::string_view kGroups[] = {"Debug",      "Extension",        "Mode-Setting",
                                          "Annotation", "Type-Declaration", "Constant-Creation"};
  constexpr std::string_view kNames[] = {"OpNop",
                                         "OpUndef",
                                         "OpFunction",
                                         "OpFunctionParameter",
                                         "OpFunctionEnd",
                                         "OpVariable",
                                         "OpLabel",
                                         "OpLoopMerge",
                                         "OpSelectionMerge",
                                         "OpUnreachable",
                                         "OpLifetimeStart",
                                         "OpLifetimeStop",
                                         "OpPoisonKHR",
                                         "OpUntypedVariableKHR",
                                         "OpConstantPipeStorage",
                                         "OpConstantFunctionPointerINTEL",
                                         "OpAliasDomainDeclINTEL",
                                         "OpAliasScopeDeclINTEL",
                                         "OpAliasScopeListDeclINTEL"};
  return (std::ranges::find(kGroups, group) != std::end(kGroups) && name != "OpExtInst") ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

// The opcodes of a file, refused or not.
Expected<std::vector<std::string>> OpcodesIn(const std::string& path) {
  const auto binary = frontend::LoadFile(path);
  if (!binary) return tl::unexpected<Error>(binary.error());
  std::vector<std::string> names;
  frontend::ForEachInstruction(
      binary->words, [&](std::size_t, std::span<const frontend::Word> words) {
        names.push_back(frontend::NameOf(static_cast<frontend::Op>(words[0] & 0xffff)));
      });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// A message's first line without the file's name and a place in it.
std::string Reason(const std::string& message, const std::string& name) {
  std::string line = message.substr(0, message.find('\n'));
  if (line.starts_with(name + ": ")) line.erase(0, name.size() + 2);
  if (line.starts_with("word ")) line.erase(0, line.find(": ") + 2);
  return line;
}

}  // namespace

fs::path OpcodesFolder() { return fs::path(ASSAY_SOURCE_DIR) / "testsuites/opcodes"; }
std::vector<std::string> OpcodeJobs() {
  return FilesWith(".json", [](const std::string&) { return true; });
}
std::vector<std::string> RefusedModules() {
  return FilesWith(".spvasm", [](const std::string& folder) { return folder == "refused"; });
}
std::vector<std::string> HostileModules() {
  return FilesWith(".spvasm", [](const std::string& folder) { return folder == "hostile"; });
}

Expected<std::string> Announced(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("; ") || colon == std::string::npos) {
    return Fail(ErrorKind::kInternal, path + ": the first line does not say what must come");
  }
  return line.substr(colon + 2);
}

std::vector<std::string> Differences(const interp::Job& job, const InterpreterOutcome& outcome) {
  std::vector<std::string> differences;
  if (!outcome.stopped.empty()) differences.push_back(outcome.stopped);
  for (const interp::Finding& finding : outcome.findings) {
    const bool wanted =
        job.expected_findings &&
        std::ranges::find(*job.expected_findings, finding.rule) != job.expected_findings->end();
    if (!wanted) differences.push_back(std::string(NameOf(finding.rule)) + ": " + finding.message);
  }
  for (const interp::BufferExpectation& expected : job.expected_buffers) {
    if (!expected.bytes) continue;
    const interp::JobBuffer& buffer = job.buffers[expected.buffer];
    const auto& bytes = outcome.buffers.at(expected.buffer);
    if (bytes.size() != expected.bytes->size()) {
      differences.push_back(fmt::format("buffer {}: expected {} bytes, observed {}", buffer.name,
                                        expected.bytes->size(), bytes.size()));
      continue;
    }
    for (std::uint64_t i = 0; i < bytes.size() / buffer.type.bytes; ++i) {
      const auto want = interp::ComponentsOf(buffer.type, *expected.bytes, i);
      const auto have = interp::ComponentsOf(buffer.type, bytes, i);
      if (want == have) continue;
      differences.push_back(fmt::format("{} {} [{}]: expected {}, observed {}", buffer.Kind(),
                                        buffer.name, i, interp::FormatElement(buffer.type, want),
                                        interp::FormatElement(buffer.type, have)));
      break;  // of each buffer the first
    }
  }
  if (job.expected_output && outcome.output != *job.expected_output) {
    differences.push_back("printf wrote " + outcome.output);
  }
  return differences;
}

std::vector<InstructionRow> CoreInstructions() {
  std::vector<InstructionRow> rows;
  for (const auto& fields : ReadTable("opcode_coverage.tsv")) {
    InstructionRow row{.number = static_cast<std::uint32_t>(std::stoul(fields.at(0))),
                       .name = fields.at(1),
                       .group = fields.at(2),
                       .capabilities = {},
                       .status = fields.at(5)};
    if (fields[3] != "-") row.capabilities = Split(fields[3], ',');
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<InstructionRow> StandardInstructions() {
  std::vector<InstructionRow> rows;
  for (const auto& fields : ReadTable("opencl_std.tsv")) {
    rows.push_back({.number = static_cast<std::uint32_t>(std::stoul(fields.at(0))),
                    .name = fields.at(1),
                    .group = fields.at(2),
                    .capabilities = {},
                    .status = ""});
  }
  return rows;
}

Expected<Executed> RunOpcodeJobs() {
  std::map<std::string, std::string> groups;
  for (const InstructionRow& row : CoreInstructions()) groups[row.name] = row.group;
  Executed executed;
  for (const std::string& name : OpcodeJobs()) {
    const auto job = interp::LoadJob((OpcodesFolder() / (name + ".json")).string());
    if (!job) return tl::unexpected<Error>(job.error());
    const auto loaded = frontend::LoadModule(job->modules, job->load);
    if (!loaded) return tl::unexpected<Error>(loaded.error());
    const auto outcome = RunJob(*job, loaded->module, {.subgroup_size = job->sub_group_size},
                                {.count_instructions = true});
    if (!outcome) return tl::unexpected<Error>(outcome.error());
    if (!Differences(*job, *outcome).empty()) continue;  // no evidence; its own test says so
    for (const auto& [instruction, count] : outcome->instruction_counts) {
      executed[instruction].push_back(name);
      if (instruction.starts_with("OpExtInst ")) executed["OpExtInst"].push_back(name);
    }
    for (const std::string& path : job->modules) {
      const auto opcodes = OpcodesIn(path);
      if (!opcodes) return tl::unexpected<Error>(opcodes.error());
      for (const std::string& opcode : *opcodes) {
        if (IsDeclaration(opcode, groups[opcode])) executed[opcode].push_back(name);
      }
    }
  }
  return executed;
}

namespace {

// What a kernel would be refused for whose body is the module's last function.
Expected<std::string> RefusalIn(const std::string& path) {
  const auto binary = frontend::LoadFile(path);
  if (!binary) return tl::unexpected<Error>(binary.error());
  const auto module = frontend::BuildModule(*binary);
  if (!module) return tl::unexpected<Error>(module.error());
  frontend::EntryPoint kernel;
  kernel.name = "test";
  for (const frontend::Instruction& one : (*module)->instructions) {
    if (one.opcode == frontend::Op::kFunction) kernel.function = one.result;
  }
  const auto good = frontend::KernelNeeds(**module).Check(kernel);
  if (good) return Fail(ErrorKind::kInternal, path + " is not refused");
  return good.error().message;
}

}  // namespace

Expected<std::map<std::string, std::string>> RefuseModules() {
  std::map<std::string, std::string> reasons;
  for (const std::string& name : RefusedModules()) {
    const std::string path = (OpcodesFolder() / (name + ".spvasm")).string();
    const auto announced = Announced(path);
    if (!announced) return tl::unexpected<Error>(announced.error());
    const auto refusal = RefusalIn(path);
    if (!refusal) return tl::unexpected<Error>(refusal.error());
    const std::size_t at = refusal->find(*announced);
    if (at == std::string::npos) {
      return Fail(ErrorKind::kInternal, path + " is refused for something else: " + *refusal);
    }
    const std::string reason = refusal->substr(at, refusal->find('\n', at) - at);
    const auto opcodes = OpcodesIn(path);
    if (!opcodes) return tl::unexpected<Error>(opcodes.error());
    for (const std::string& opcode : *opcodes) {
      // Best is what names the instruction itself.
      std::string& kept = reasons.emplace(opcode, reason).first->second;
      if (reason.find(opcode + ' ') != std::string::npos) kept = reason;
    }
  }
  return reasons;
}

namespace {

constexpr std::string_view kHead =
    "; SPIR-V\n; Version: 1.6\nOpCapability Kernel\nOpCapability Addresses\n"
    "OpCapability Linkage\n";
constexpr std::string_view kModel = "OpMemoryModel Physical64 OpenCL\n";

}  // namespace

Expected<std::string> RefusalOf(const InstructionRow& row) {
  const auto opcode = static_cast<frontend::Op>(row.number);
  if (frontend::FindInstruction(opcode)) {
    std::string reason = frontend::RefusalOf(opcode);
    if (reason.empty()) return Fail(ErrorKind::kInternal, row.name + " is accepted");
    return reason;
  }
  // Newer than the grammar: a module that has its number is refused as that.
  auto binary = frontend::LoadText(fmt::format("{}{}", kHead, kModel), "test");
  if (!binary) return tl::unexpected<Error>(binary.error());
  binary->words.push_back(1u << 16 | row.number);
  const auto loaded = frontend::LoadWords(binary->words, "test");
  const std::string number = fmt::format("{}", row.number);
  if (loaded) return Fail(ErrorKind::kInternal, number + " is accepted");
  const Error& error = loaded.error();
  if (error.kind != ErrorKind::kUnsupported || error.message.find(number) == std::string::npos) {
    return Fail(ErrorKind::kInternal,
                fmt::format("{} is refused by another name: {}", number, error.message));
  }
  return Reason(error.message, "test");
}

}  // namespace assay::testsuites
