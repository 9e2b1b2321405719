// Accesses that need a second look, and what is said about the bad ones.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/execute/accessed_element.h"
#include "interp/execute/execute.h"
#include "interp/program/debug_hook.h"
#include "interp/rules/rule.h"

namespace assay::interp {

std::string_view LaunchEndName(LaunchEnd end) {
  constexpr std::string_view kNames[] = {"completed",    "instruction-limit", "time-limit",
                                         "memory-limit", "stopped",           "finding-limit",
                                         "deadlock"};
  return kNames[static_cast<int>(end)];
}

std::vector<std::uint32_t> Worker::CallsTo(const Batch& batch, std::uint32_t site, int lane) const {
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

void Worker::Report(const Batch& batch, std::uint32_t place, int lane, Rule rule,
                    const std::string& message, std::vector<std::string> history,
                    std::string object) {
  const CodePlace& code = program_.places[place];
  if (CountAgain(rule, place)) return;
  Finding finding(rule);
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
  const RunningBatch* running = nullptr;
  for (const auto& candidate : batches_) {
    if (&candidate->batch == &batch) running = candidate.get();
  }
  finding.global_id = GlobalIdOf(group_, running->first + static_cast<std::uint64_t>(lane));
  finding.group_id = group_id_;
  finding.after_undefined_behavior = after_undefined_behavior_;
  after_undefined_behavior_ |= finding.finding_class == FindingClass::kUndefinedBehavior;
  const auto kept = findings_.emplace(std::pair(finding.rule, place),
                                      Found{std::move(finding), group_, findings_.size()});
  if (launch_.options.debug != nullptr) {
    launch_.options.debug->Found(batch, kept.first->second.finding);
  }
  if (findings_.size() > launch_.options.max_findings) {
    launch_.Stop(LaunchEnd::kFindingLimit, fmt::format("more than {} findings (--max-findings)",
                                                       launch_.options.max_findings));
  }
}

std::array<std::uint64_t, 3> Worker::GlobalIdOf(std::uint64_t group, std::uint64_t item) const {
  const std::array<std::uint64_t, 3> id = launch_.GroupId(group);
  std::array<std::uint64_t, 3> global{};
  for (int d = 0; d < 3; ++d) {
    const std::uint64_t size =
        std::min(launch_.local[d], launch_.range.global[d] - id[d] * launch_.local[d]);
    global[d] = launch_.range.offset[d] + id[d] * launch_.local[d] + item % size;
    item /= size;
  }
  return global;
}

std::string Worker::DescribeItem(std::uint64_t group, std::uint64_t linear_local_id) const {
  const auto id = GlobalIdOf(group, linear_local_id);
  return fmt::format("({},{},{})", id[0], id[1], id[2]);
}

std::string Worker::DescribeInstruction(std::uint32_t origin) const {
  const frontend::Module& module = *launch_.module;
  std::string text = module.Text(module.instructions[origin]);
  if (origin >= module.debug_info.locations.size()) return text;
  const std::string source =
      DescribeLocation(module.debug_info, module.debug_info.locations[origin]);
  return source.empty() ? text : fmt::format("{}: {}", source, text);
}

std::string Worker::DescribePlace(std::uint32_t place) const {
  return DescribeInstruction(program_.places[place].origin);
}

// Where an object was declared; a buffer was not.
std::vector<std::string> Worker::DescribeObject(const Region* region) const {
  if (region == nullptr || region->address == 0) return {};
  if (const auto found = launch_.declarations.find(region->address);
      found != launch_.declarations.end()) {
    return {"declared here: " + DescribeInstruction(found->second)};
  }
  if (region->space != AddressSpace::kPrivate || region->variable >= program_.variables.size() ||
      program_.variables[region->variable].address != region->address) {
    return {};
  }
  return {"declared here: " + DescribeInstruction(program_.variables[region->variable].origin)};
}

bool Worker::IsShared(const Region& region) const {
  if (region.space == AddressSpace::kLocal) {
    return launch_.local[0] * launch_.local[1] * launch_.local[2] > 1;
  }
  const std::uint64_t place = region.address >> launch_.memory->layout().place_bits;
  return region.space == AddressSpace::kGlobal && launch_.written_places[place];
}

// A load or store with the memory operand Volatile (SPIR-V 3.26).
bool Worker::IsVolatile(std::uint32_t place) const {
  const frontend::Module& module = *launch_.module;
  const frontend::Instruction& instruction = module.instructions[program_.places[place].origin];
  const auto operands = module.Operands(instruction);
  const std::size_t at = instruction.opcode == frontend::Op::kLoad    ? 1
                         : instruction.opcode == frontend::Op::kStore ? 2
                                                                      : operands.size();
  return at < operands.size() && (operands[at] & 1) != 0;
}

void Worker::ForgetEvents() {
  for (const auto& running : batches_) {
    std::fill(running->events.begin(), running->events.end(), 0);
  }
}

bool Worker::CountAgain(Rule rule, std::uint32_t place) {
  Spend(64);  // so that a limit is looked at soon
  const auto found = findings_.find(std::pair(RowOf(rule).rule, place));
  if (found == findings_.end()) return false;
  ++found->second.finding.count;
  return true;
}

std::byte* Worker::Resolve(Batch& batch, const FlatInstruction& instruction, int lane,
                           Address address, std::uint64_t bytes, AccessKind kind) {
  const Region* region = batch.FindRegion(address);
  const std::string_view verb = kind == AccessKind::kLoad    ? "load"
                                : kind == AccessKind::kStore ? "store"
                                                             : "atomic operation";
  // The text only for the first one at its place: a loop may do it millions of times.
  const auto report = [&](Rule rule, const auto& message) -> std::byte* {
    if (!CountAgain(rule, instruction.place)) {
      Report(batch, instruction.place, lane, rule, message(), DescribeObject(region));
    }
    return nullptr;
  };
  if (region == nullptr || region->address == 0) {
    // Somewhat below or above null: a null pointer with an offset.
    const bool null = address < 65536 || address > ~std::uint64_t{0} - 65536;
    return report(null ? Rule::kMemoryNull : Rule::kMemoryWild, [&] {
      return null ? fmt::format("{} of {} bytes through a null pointer{}", verb, bytes,
                                address == 0 ? "" : fmt::format(" (address {:#x})", address))
                  : fmt::format("{} of {} bytes at {:#x}, where no object lives", verb, bytes,
                                address);
    });
  }
  const auto offset = static_cast<std::int64_t>(address - region->address);
  const std::string_view name = launch_.memory->NameOf(region->object);
  if (region->ended) {
    return report(Rule::kMemoryUseAfterRelease, [&] {
      return fmt::format("{} of {} bytes in {} memory '{}', which was released", verb, bytes,
                         AddressSpaceName(region->space), name);
    });
  }
  if (offset < 0 || static_cast<std::uint64_t>(offset) > region->bytes ||
      region->bytes - static_cast<std::uint64_t>(offset) < bytes) {
    return report(Rule::kMemoryOutOfBounds, [&] {
      const std::string element =
          DescribeElements(*launch_.module, program_.places[instruction.place].origin,
                           {.name = name, .bytes = region->bytes}, offset, bytes);
      return fmt::format("{} of {} bytes at offset {} of {} memory '{}', which has {} bytes{}{}",
                         verb, bytes, offset, AddressSpaceName(region->space), name, region->bytes,
                         element.empty() ? "" : ": ", element);
    });
  }
  if (kind != AccessKind::kLoad && !region->writable) {
    const bool is_buffers = region->is_buffer && !region->is_constant_buffer;
    return report(is_buffers ? Rule::kMemoryBufferReadOnly : Rule::kMemoryReadOnly, [&] {
      return fmt::format(
          "{} of {} bytes at offset {} of {} memory '{}', which is {}", verb, bytes, offset,
          AddressSpaceName(region->space), name,
          region->is_constant_buffer ? "given to the kernel as constant memory" : "read-only");
    });
  }
  if (kind != AccessKind::kStore && !region->readable) {
    return report(Rule::kMemoryBufferWriteOnly, [&] {
      return fmt::format("{} of {} bytes at offset {} of {} memory '{}', which is write-only", verb,
                         bytes, offset, AddressSpaceName(region->space), name);
    });
  }
  if (region->space == AddressSpace::kPrivate) {
    if (region->variable >= program_.variables.size() ||
        program_.variables[region->variable].address != region->address) {
      return report(Rule::kMemoryWild, [&] {
        return fmt::format(
            "{} through a pointer to a private variable '{}' of "
            "another kernel",
            verb, name);
      });
    }
    if ((batch.variable_alive[region->variable] >> lane & 1) == 0) {
      return report(Rule::kMemoryLifetimeEnded, [&] {
        return fmt::format("{} of {} bytes in private variable '{}' outside its lifetime", verb,
                           bytes, name);
      });
    }
    return batch.frame + static_cast<std::uint64_t>(lane) * program_.frame_bytes +
           program_.variables[region->variable].frame_offset + offset;
  }
  if (region->host == nullptr) {
    return report(Rule::kMemoryWild, [&] {
      return fmt::format("{} in {} memory '{}', which this kernel does not use", verb,
                         AddressSpaceName(region->space), name);
    });
  }
  return region->host + offset;
}

std::byte* ResolveAccess(Batch& batch, const FlatInstruction& instruction, int lane,
                         Address address, std::uint64_t bytes, AccessKind kind) {
  return batch.worker->Resolve(batch, instruction, lane, address, bytes, kind);
}

}  // namespace assay::interp
