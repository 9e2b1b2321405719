// Findings; accesses that need a second look, and what is said about the bad ones.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "interp/execute/accessed_element.h"
#include "interp/execute/execute.h"
#include "interp/execute/interleaved.h"
#include "interp/execute/reporter.h"
#include "interp/program/debug_hook.h"
#include "interp/program/watched_access.h"
#include "interp/rules/rule.h"

namespace assay::interp {

namespace {

// A variable with the line that its debug information has, for compilers put it at the beginning of
// the function without one.  "" where there is none, or the instruction has a line itself.
std::string DescribeVariable(const frontend::Module& module, std::uint32_t origin) {
  const frontend::DebugInfo& debug = module.debug_info;
  const auto location_at = [&](std::uint32_t place) {
    return place < debug.locations.size() ? debug.locations[place] : frontend::SourceLocation();
  };
  if (location_at(origin).IsKnown()) return "";
  for (const frontend::DebugVariable& variable : debug.variables) {
    if (variable.target != module.instructions[origin].result || variable.line == 0) continue;
    frontend::SourceLocation location = location_at(variable.instruction);
    if (location.line != variable.line) location.column = 0;
    location.line = variable.line;
    const std::string source = DescribeLocation(debug, location);
    if (source.empty() || location.file == 0) break;
    return fmt::format("{}: {}", source, module.Text(module.instructions[origin]));
  }
  return "";
}

}  // namespace

namespace {

// What is kept of the place, if a later group did it than this work-item's.  The first group is to
// be told, but a later one may come first: groups of a batch are executed together, and a thread
// whose share is used up executes groups that come before its own.
auto FindFirst(auto& findings, Rule rule, std::uint32_t place, const WorkItem& item) {
  const auto found = findings.find(std::pair(RowOf(rule).rule, place));
  return found != findings.end() && found->second.group > item.group ? found : findings.end();
}

}  // namespace

std::vector<std::uint32_t> Reporter::CallsTo(const Batch& batch, std::uint32_t site,
                                             int lane) const {
  std::vector<std::uint32_t> calls;
  while (site != 0) {
    const CallSite& here = program_.sites[site];
    site = here.caller;
    if (here.function == 0) {
      calls.push_back(here.instruction);
      continue;
    }
    // A kept function: where the work-item is called from.
    const std::uint32_t called = program_.call_registers[here.function - 1];
    std::uint32_t block = 0;
    std::memcpy(&block, batch.registers + called + static_cast<std::uint64_t>(lane) * sizeof(block),
                sizeof(block));
    if (program_.blocks[block].end != End::kCall) break;
    const CodePlace& call = program_.places[program_.blocks[block].place];
    calls.push_back(call.origin);
    site = call.site;
  }
  return calls;
}

void Reporter::Report(const Batch& batch, std::uint32_t place, int lane, Rule rule,
                      const std::string& message, std::vector<std::string> history,
                      std::string object) {
  const CodePlace& code = program_.places[place];
  const WorkItem item = ItemAt(batch, group_.number, static_cast<std::uint64_t>(lane));
  std::uint64_t before = 0;
  if (const auto found = FindFirst(findings_, rule, place, item); found != findings_.end()) {
    before = found->second.finding.count;
    findings_.erase(found);
  }
  if (CountAgain(rule, place)) return;
  Finding finding(rule);
  finding.count += before;
  finding.message = message;
  finding.place.instruction = code.origin;
  finding.place.calls = CallsTo(batch, code.site, lane);
  finding.history = std::move(history);
  finding.object = std::move(object);
  const frontend::Module& module = *launch_.module;
  finding.instruction = module.Text(module.instructions[code.origin]);
  if (code.origin < module.debug_info.locations.size()) {
    finding.source = DescribeLocation(module.debug_info, module.debug_info.locations[code.origin]);
  }
  finding.global_id = GlobalIdOf(launch_, item.group, item.local);
  finding.group_id = launch_.GroupId(item.group);
  finding.after_undefined_behavior = after_undefined_behavior_;
  after_undefined_behavior_ |= finding.finding_class == FindingClass::kUndefinedBehavior;
  std::size_t number = findings_.size();
  for (const auto& [key, other] : findings_) number = std::max(number, other.number + 1);
  const auto kept = findings_.emplace(std::pair(finding.rule, place),
                                      Found{std::move(finding), item.group, number});
  if (launch_.options.debug != nullptr) {
    launch_.options.debug->Found(batch, kept.first->second.finding);
  }
  if (program_.screens) launch_.GiveUp();
  if (findings_.size() > launch_.options.max_findings) {
    launch_.Stop(LaunchEnd::kFindingLimit, fmt::format("more than {} findings (--max-findings)",
                                                       launch_.options.max_findings));
  }
}

std::string Reporter::DescribeItem(std::uint64_t group, std::uint64_t linear_local_id) const {
  const auto id = GlobalIdOf(launch_, group, linear_local_id);
  return fmt::format("({},{},{})", id[0], id[1], id[2]);
}

std::string Reporter::DescribeInstruction(std::uint32_t origin) const {
  const frontend::Module& module = *launch_.module;
  std::string text = module.Text(module.instructions[origin]);
  if (origin >= module.debug_info.locations.size()) return text;
  const std::string source =
      DescribeLocation(module.debug_info, module.debug_info.locations[origin]);
  return source.empty() ? text : fmt::format("{}: {}", source, text);
}

std::string Reporter::DescribePlace(std::uint32_t place) const {
  return DescribeInstruction(program_.places[place].origin);
}

// Where an object was declared; a buffer was not.
std::vector<std::string> Reporter::DescribeObject(const Region* region) const {
  if (region == nullptr || region->address == 0) return {};
  const auto declared = [this](std::uint32_t origin) -> std::vector<std::string> {
    const std::string better = DescribeVariable(*launch_.module, origin);
    return {"declared here: " + (better.empty() ? DescribeInstruction(origin) : better)};
  };
  if (const auto found = launch_.declarations.find(region->address);
      found != launch_.declarations.end()) {
    return declared(found->second);
  }
  if (region->space != AddressSpace::kPrivate || region->variable >= program_.variables.size() ||
      program_.variables[region->variable].address != region->address) {
    return {};
  }
  return declared(program_.variables[region->variable].origin);
}

bool Reporter::CountAgain(Rule rule, std::uint32_t place, std::uint64_t times) {
  fuel_.Spend(64 * times);  // so that a limit is looked at soon
  const auto found = findings_.find(std::pair(RowOf(rule).rule, place));
  if (found == findings_.end()) return false;
  // The first one is told (FindFirst).
  if (launch_.groups_in_batch == 1 && found->second.group > group_.number) return false;
  found->second.finding.count += times;
  return true;
}

namespace {

std::string_view VerbOf(AccessKind kind) {
  return kind == AccessKind::kLoad    ? "load"
         : kind == AccessKind::kStore ? "store"
                                      : "atomic operation";
}

bool IsInside(const Region& region, std::int64_t offset, std::uint64_t bytes) {
  return offset >= 0 && static_cast<std::uint64_t>(offset) <= region.bytes &&
         region.bytes - static_cast<std::uint64_t>(offset) >= bytes;
}

bool IsVariableOf(const Program& program, const Region& region) {
  return region.variable < program.variables.size() &&
         program.variables[region.variable].address == region.address;
}

// Where a private variable of the program lies.
std::byte* PrivateBytes(const Batch& batch, int lane, const Region& region, std::uint64_t offset) {
  const FlatVariable& variable = batch.program->variables[region.variable];
  const auto place = static_cast<std::uint64_t>(lane);
  if (variable.interleaved != 0) {
    return RowAt(batch, variable, offset) + place * variable.interleaved;
  }
  return batch.frame + place * batch.program->frame_bytes + variable.frame_offset + offset;
}
// An interleaved variable is accessed by the element, or copied as several; an address that was
// made of a number, and not of the variable's, may be anything.
bool IsOfElements(const Program& program, const Region& region, std::uint64_t offset,
                  std::uint64_t bytes) {
  const std::uint64_t element = program.variables[region.variable].interleaved;
  return element == 0 || (offset % element == 0 && bytes % element == 0);
}

// What a message about an access says.
struct AccessWords {
  std::string_view verb;
  std::string_view name;  // of the object
};

// The bytes of an access inside a private variable; null if it is invalid, which `report` is told.
template <typename Report>
std::byte* ResolvePrivate(const Batch& batch, int lane, const Region& region, Address address,
                          std::uint64_t bytes, const AccessWords& words, const Report& report) {
  if (!IsVariableOf(*batch.program, region)) {
    return report(Rule::kMemoryWild, [&] {
      return fmt::format("{} through a pointer to private variable '{}' of another kernel",
                         words.verb, words.name);
    });
  }
  if ((batch.variable_alive[region.variable] >> lane & 1) == 0) {
    return report(Rule::kMemoryLifetimeEnded, [&] {
      return fmt::format("{} of {} bytes in private variable '{}' outside its lifetime", words.verb,
                         bytes, words.name);
    });
  }
  const std::uint64_t offset = address - region.address;
  if (!IsOfElements(*batch.program, region, offset, bytes)) {
    return report(Rule::kMemoryWild, [&] {
      return fmt::format("{} of {} bytes at {:#x}, an address that the kernel took of no object",
                         words.verb, bytes, address);
    });
  }
  return PrivateBytes(batch, lane, region, offset);
}

// What lies at the offset, as the source names it; "" if that is not known.
std::string ElementAt(const Worker& worker, const FlatInstruction& instruction,
                      const Region& region, std::uint64_t bytes, std::int64_t offset) {
  const LaunchState& launch = worker.launch();
  return DescribeElements(*launch.module, launch.program->places[instruction.place].origin,
                          {.name = launch.memory->NameOf(region.object), .bytes = region.bytes},
                          offset, bytes);
}

}  // namespace

namespace {

struct WholeAccess {
  Address first = 0;
  std::uint64_t bytes = 0;
};

// A vector is loaded and stored by its components; what is said is about all that the instruction
// accesses.  That is known where the program has a step for each instruction's registers.
WholeAccess WholeOf(const Batch& batch, const FlatInstruction& instruction, int lane,
                    Address address, std::uint64_t bytes, AccessKind kind) {
  const Program& program = *batch.program;
  const WholeAccess part{address, bytes};
  const FlatInstruction* const begin = program.code.data();
  const bool is_in_code = std::greater_equal<>()(&instruction, begin) &&
                          std::less<>()(&instruction, begin + program.code.size());
  if (!is_in_code || program.shadow_steps.empty() || kind == AccessKind::kAtomic) return part;
  // Of a vector that is loaded for some of its components these are what the source reads.
  if (kind == AccessKind::kLoad && WatchedAccess::Of(instruction).read_parts != 0) return part;
  const ShadowStep& step = program.shadow_steps[static_cast<std::size_t>(&instruction - begin)];
  const std::uint64_t parts = kind == AccessKind::kLoad ? step.result_count
                              : step.operand_count == 0 ? 0
                                                        : step.operand_count - 1u;
  if (parts < 2) return part;
  const Address first = batch.Register<std::uint64_t>(instruction.a)[lane] + instruction.immediate;
  return address - first < parts * bytes ? WholeAccess{first, parts * bytes} : part;
}

}  // namespace

std::byte* ResolveAccess(Batch& batch, const FlatInstruction& instruction, int lane,
                         Address address, std::uint64_t bytes, AccessKind kind) {
  Worker& worker = *batch.worker;
  const Region* region = batch.FindRegion(address);
  const std::string_view verb = VerbOf(kind);
  const WholeAccess whole = WholeOf(batch, instruction, lane, address, bytes, kind);
  // The text only for the first one at its place: a loop may do it millions of times.
  const auto report = [&](Rule rule, const auto& message) -> std::byte* {
    // One of its first component is one of all.
    const bool is_told =
        address != whole.first &&
        (rule != Rule::kMemoryOutOfBounds ||
         !IsInside(*region, static_cast<std::int64_t>(address - bytes - region->address), bytes));
    if (is_told) return nullptr;
    const Worker::Findings& findings = worker.findings();
    const WorkItem item = ItemAt(batch, worker.group(), static_cast<std::uint64_t>(lane));
    if (FindFirst(findings, rule, instruction.place, item) != findings.end() ||
        !worker.CountAgain(rule, instruction.place)) {
      worker.Report(batch, instruction.place, lane, rule, message(), worker.DescribeObject(region));
    }
    return nullptr;
  };
  if (region == nullptr || region->address == 0) {
    // Somewhat below or above null: a null pointer with an offset.
    const bool null = address < 65536 || address > ~std::uint64_t{0} - 65536;
    return report(null ? Rule::kMemoryNull : Rule::kMemoryWild, [&] {
      return null ? fmt::format("{} of {} bytes through a null pointer{}", verb, whole.bytes,
                                address == 0 ? "" : fmt::format(" (address {:#x})", address))
                  : fmt::format("{} of {} bytes at {:#x}, where no object lives", verb, whole.bytes,
                                address);
    });
  }
  const auto offset = static_cast<std::int64_t>(address - region->address);
  const auto first = static_cast<std::int64_t>(whole.first - region->address);
  const std::string_view name = worker.launch().memory->NameOf(region->object);
  if (region->ended) {
    return report(Rule::kMemoryUseAfterRelease, [&] {
      return fmt::format("{} of {} bytes in {} memory '{}', which was released", verb, whole.bytes,
                         AddressSpaceName(region->space), name);
    });
  }
  if (!IsInside(*region, offset, bytes)) {
    return report(Rule::kMemoryOutOfBounds, [&] {
      const std::string element = ElementAt(worker, instruction, *region, whole.bytes, first);
      return fmt::format("{} of {} bytes at offset {} of {} memory '{}', which has {} bytes{}{}",
                         verb, whole.bytes, first, AddressSpaceName(region->space), name,
                         region->bytes, element.empty() ? "" : ": ", element);
    });
  }
  const auto said = [&](std::string_view what) {
    return fmt::format("{} of {} bytes at offset {} of {} memory '{}', which is {}", verb,
                       whole.bytes, first, AddressSpaceName(region->space), name, what);
  };
  // What the host forbade of a buffer is done all the same, as on devices: what kernels do later
  // then does not follow from the way in which this one is executed.
  if (kind != AccessKind::kLoad && !region->writable) {
    const bool is_buffers = region->is_buffer && !region->is_constant_buffer;
    const auto refused =
        report(is_buffers ? Rule::kMemoryBufferReadOnly : Rule::kMemoryReadOnly, [&] {
          return said(region->is_constant_buffer ? "given to the kernel as constant memory"
                                                 : "read-only");
        });
    if (!is_buffers) return refused;
  }
  if (kind != AccessKind::kStore && !region->readable) {
    report(Rule::kMemoryBufferWriteOnly, [&] { return said("write-only"); });
  }
  if (region->space == AddressSpace::kPrivate) {
    return ResolvePrivate(batch, lane, *region, address, bytes, {verb, name}, report);
  }
  std::byte* const host = HostOf(batch, *region, lane);
  if (host == nullptr) {
    return report(Rule::kMemoryWild, [&] {
      return fmt::format("{} in {} memory '{}', which this kernel does not use", verb,
                         AddressSpaceName(region->space), name);
    });
  }
  return host + offset;
}

}  // namespace assay::interp
