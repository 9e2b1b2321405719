// Restrict pointers (C99 6.7.3.1; FuncParamAttr NoAlias): the kernel's parameters, whose scope is
// the launch, and those of functions that it calls, whose scope is the call in one work-item.
//
// Known deviations: of the kernel's parameters only those are watched that share a buffer with
// another; an access belongs to a parameter if its address can only be based on that one, and says
// nothing where this is not certain, as of a pointer that was loaded.  Not looked at are atomics,
// asynchronous copies, copies through a kernel's parameters, restrict variables and members, and
// what functions whose calls are kept (interp/import/call_plan.h) access inside other calls.
#include "interp/program/restrict.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "interp/detect/detectors.h"
#include "interp/detect/pointer_watch.h"
#include "interp/execute/execute.h"
#include "interp/program/watched_access.h"
#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

// Which parameters share a buffer with a restrict one, where the kernel writes through one of them.
void FindSharedParameters(const frontend::Function& function, LaunchState* launch) {
  const Program& program = *launch->program;
  const frontend::Module& module = *launch->module;
  const auto parameters = function.parameters.Of(module.parameters);
  const int place_bits = launch->memory->layout().place_bits;
  std::map<Address, std::vector<std::size_t>> sharing;  // by the region's first byte
  for (std::size_t i = 0; i < parameters.size() && i < launch->parameters.size(); ++i) {
    const frontend::Type* type = module.types.Find(parameters[i].type);
    if (type == nullptr || type->kind != frontend::TypeKind::kPointer) continue;
    Address address = 0;
    std::memcpy(&address, launch->parameters[i].data(),
                std::min(sizeof address, launch->parameters[i].size()));
    const std::uint64_t place = address >> place_bits;
    const auto regions = launch->memory->regions();
    if (place >= regions.size() || regions[place].host == nullptr) continue;
    sharing[regions[place].address].push_back(i);
  }
  PointerRecords& records = launch->pointers;
  constexpr int kMost = 15;
  int next = 0;
  for (const auto& [address, group] : sharing) {
    const bool any_restrict = std::any_of(group.begin(), group.end(), [&](std::size_t i) {
      return IsRestrict(module, parameters[i].id);
    });
    const bool any_written = std::any_of(group.begin(), group.end(), [&](std::size_t i) {
      const auto& written = program.written.parameters;
      return std::find(written.begin(), written.end(), i) != written.end();
    });
    if (group.size() < 2 || !any_restrict || !any_written) continue;
    records.parameter_bits.resize(parameters.size() + 1);
    for (const std::size_t i : group) {
      if (next == kMost) return;
      const auto bit = static_cast<std::uint16_t>(1u << next++);
      records.parameter_bits[i + 1] = bit;
      if (IsRestrict(module, parameters[i].id)) records.restrict_bits |= bit;
    }
    records.accessed[address].resize(launch->memory->Bytes(address).size());
  }
}

// The object that a pointer is based on: a private variable's number, or where another one begins.
std::pair<bool, std::uint64_t> ObjectOf(const PointerRoot& root, const LaunchState& launch) {
  if (root.kind == PointerRoot::Kind::kVariable) return {true, root.number};
  Address address = root.number;
  if (root.kind == PointerRoot::Kind::kParameter) {
    address = 0;
    const std::vector<std::byte>& bytes = launch.parameters[root.number];
    std::memcpy(&address, bytes.data(), std::min(sizeof address, bytes.size()));
  }
  const std::uint64_t place = address >> launch.memory->layout().place_bits;
  const auto regions = launch.memory->regions();
  return {false, place < regions.size() ? regions[place].address : 0};
}

// Calls in which a restrict pointer and another one may lead to the same object.
void FindWatchedCalls(LaunchState* launch) {
  const std::vector<RestrictPointer>& pointers = launch->program->restrict_pointers;
  std::vector<bool> watched(pointers.size());
  bool any = false;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    std::set<std::pair<bool, std::uint64_t>> objects;
    for (const PointerRoot& root : pointers[i].roots) objects.insert(ObjectOf(root, *launch));
    watched[i] =
        objects.empty() || std::ranges::any_of(pointers[i].others, [&](const PointerRoot& other) {
          return objects.contains(ObjectOf(other, *launch));
        });
    any = any || watched[i];
  }
  if (any) launch->pointers.watched_calls = std::move(watched);
}

// "restrict parameter 'a' of function 'add'"
std::string NameOfParameter(const frontend::Module& module, std::uint32_t origin) {
  const frontend::Id id = module.instructions[origin].result;
  const std::string_view name = module.NameOf(id);
  std::string text =
      name.empty() ? "a restrict parameter" : fmt::format("restrict parameter '{}'", name);
  for (const frontend::Function& function : module.functions) {
    for (const frontend::Parameter& parameter : function.parameters.Of(module.parameters)) {
      if (parameter.id != id) continue;
      const std::string_view called = module.NameOf(function.id);
      return called.empty() ? text : fmt::format("{} of function '{}'", text, called);
    }
  }
  return text;
}

}  // namespace

void FindRestrict(const frontend::Function& function, LaunchState* launch) {
  if (!launch->program->detectors.Has(Detector::kPointers)) return;
  FindSharedParameters(function, launch);
  FindWatchedCalls(launch);
}

// --- calls ------------------------------------------------------------------------------------

void EnterRestrict(Batch& batch, const FlatInstruction& in) {
  if (batch.restricts == nullptr ||
      !batch.pointers->watched_calls[static_cast<std::size_t>(in.immediate)]) {
    return;
  }
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    batch.restricts->Begin(static_cast<std::uint32_t>(in.immediate), std::countr_zero(rest));
  }
  batch.worker->Spend(64);
}

// --- accesses ---------------------------------------------------------------------------------

std::string Pointers::DescribeAccess(const Accessed& access) const {
  return fmt::format(
      "{} of {} bytes at offset {} of {} memory '{}'", access.writes ? "store" : "load",
      access.bytes, access.address - access.region->address, AddressSpaceName(access.region->space),
      worker_.launch().memory->NameOf(access.region->object));
}

// Whether a byte was accessed by another parameter, too, and changed, and one of the two is
// restrict.
bool Pointers::BreaksRestrict(const Accessed& access, std::uint16_t mine) {
  PointerRecords& records = worker_.launch().pointers;
  const auto found = records.accessed.find(access.region->address);
  const std::uint64_t offset = access.address - access.region->address;
  if (found == records.accessed.end() || offset > found->second.size() ||
      access.bytes > found->second.size() - offset) {
    return false;
  }
  bool breaks = false;
  for (std::uint64_t i = offset; i < offset + access.bytes; ++i) {
    std::uint16_t& byte = found->second[i];
    byte = static_cast<std::uint16_t>(byte | mine | (access.writes ? PointerRecords::kWritten : 0));
    const auto pointers = static_cast<std::uint16_t>(byte & ~PointerRecords::kWritten);
    breaks =
        breaks || (byte != pointers && pointers != mine && (pointers & records.restrict_bits) != 0);
  }
  return breaks;
}

void Pointers::ReportRestrict(Batch& batch, std::uint32_t place, int lane, const Accessed& access,
                              const RestrictUse& use, std::uint32_t other) {
  const std::string parameter =
      NameOfParameter(*worker_.launch().module, program().restrict_pointers[use.pointer].origin);
  const std::string message =
      use.through ? fmt::format(
                        "{} through {}; the same call accesses it by another pointer too, "
                        "and changes it",
                        DescribeAccess(access), parameter)
                  : fmt::format(
                        "{} by another pointer than {}, through which the same call accesses "
                        "it too; and it is changed",
                        DescribeAccess(access), parameter);
  worker_.Report(
      batch, place, lane, Rule::kPointerRestrict, message,
      {fmt::format("{}: {}", use.through ? "by another pointer" : "through the parameter",
                   worker_.DescribePlace(other))});
}

// Returns whether that is wrong.
bool Pointers::AccessedInCalls(Batch& batch, std::uint32_t place, int lane, const Accessed& access,
                               bool is_source) {
  constexpr Rule kRule = Rule::kPointerRestrict;
  bool is_told = false;
  for (const RestrictUse& use : program().restrict_uses[program().places[place].restrict_uses]) {
    if (use.is_source != is_source || !view_.watched_calls[use.pointer]) continue;
    const auto other =
        batch.restricts->Access(use, lane, access.address, access.bytes, access.writes, place);
    if (!other || std::exchange(is_told, true) || worker_.CountAgain(kRule, place)) continue;
    ReportRestrict(batch, place, lane, access, use, *other);
  }
  return is_told;
}

void Pointers::CopiedBesideRestrict(Batch& batch, std::uint32_t place, int lane, Address target,
                                    Address source, std::uint64_t bytes) {
  if (program().places[place].restrict_uses == 0) return;
  const Accessed load = {batch.FindRegion(source), source, bytes, false};
  const Accessed store = {batch.FindRegion(target), target, bytes, true};
  worker_.Spend(bytes);
  if (!AccessedInCalls(batch, place, lane, load, true)) {
    AccessedInCalls(batch, place, lane, store, false);
  }
}

void Pointers::AccessedBesideRestrict(Batch& batch, const FlatInstruction& in, std::uint32_t parts,
                                      std::uint64_t part_bytes, bool writes) {
  const CodePlace& code = program().places[in.place];
  const std::uint16_t mine = code.parameter < view_.parameter_bits.size()
                                 ? view_.parameter_bits[code.parameter]
                                 : std::uint16_t{0};
  const bool is_in_calls = batch.restricts != nullptr && code.restrict_uses != 0;
  if (mine == 0 && !is_in_calls) return;
  const auto* address = batch.Register<std::uint64_t>(in.a);
  const auto look = [&](int lane, std::uint64_t offset, std::uint64_t bytes) {
    const Address at = address[lane] + in.immediate + offset;
    const Region* region = batch.FindRegion(at);
    if (region == nullptr || region->address == 0 || at - region->address > region->bytes ||
        bytes > region->bytes - (at - region->address)) {
      return;
    }
    const Accessed access = {region, at, bytes, writes};
    if (mine != 0 && BreaksRestrict(access, mine)) {
      if (worker_.CountAgain(Rule::kPointerRestrict, in.place)) return;
      return worker_.Report(
          batch, in.place, lane, Rule::kPointerRestrict,
          DescribeAccess(access) +
              ", which is accessed through another parameter too and changed, and one of "
              "the two is restrict");
    }
    if (is_in_calls) AccessedInCalls(batch, in.place, lane, access, false);
  };
  const std::uint32_t read = writes ? 0 : WatchedAccess::Of(in).read_parts;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (read == 0) {
      look(lane, 0, parts * part_bytes);
      continue;
    }
    for (std::uint32_t left = read; left != 0; left &= left - 1) {
      look(lane, static_cast<std::uint64_t>(std::countr_zero(left)) * part_bytes, part_bytes);
    }
  }
  worker_.Spend(64);
}

void AccessedBesideRestrict(Batch& batch, const FlatInstruction& in, std::uint32_t parts,
                            std::uint64_t part_bytes, bool writes) {
  PointersOf(*batch.worker)->AccessedBesideRestrict(batch, in, parts, part_bytes, writes);
}

}  // namespace assay::interp
