// Pointers that others must not use: those to private and local objects (OpenCL API 3.3.1), and
// restrict ones (C99 6.7.3.1; FuncParamAttr NoAlias).
//
// Known deviations: restrict is watched over for a kernel's own parameters, whose scope is the
// launch, where two of them share a buffer; an access belongs to a parameter if its address can
// only be based on that one; atomics and copies from memory to memory are not looked at.  A pointer
// to a private or local object counts as used by others when they load it from where it was stored.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/execute.h"

namespace assay::interp {

using frontend::Decoration;
using frontend::FunctionParameterAttribute;

namespace {

bool IsOwned(AddressSpace space) {
  return space == AddressSpace::kPrivate || space == AddressSpace::kLocal;
}

std::uint64_t ValueIn(const Batch& batch, std::uint32_t offset, std::uint32_t bytes, int lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, batch.registers + offset + static_cast<std::size_t>(lane) * bytes, bytes);
  return bits;
}

}  // namespace

void Worker::WatchPointers() {
  if (!program_.detectors.Has(Detector::kPointers)) return;
  const int bits = launch_.memory->layout().place_bits;
  Address first = ~Address{0};
  Address last = 0;
  for (std::size_t place = 1; place < regions_.size(); ++place) {
    const Region& region = regions_[place];
    if (!IsOwned(region.space) || region.ended) continue;
    first = std::min(first, static_cast<Address>(place) << bits);
    last = std::max(last, static_cast<Address>(place + 1) << bits);
  }
  pointer_view_.address_bytes = static_cast<std::uint32_t>(launch_.module->PointerBytes());
  pointer_view_.parameter_bits = launch_.pointers.parameter_bits;
  // Where the kernel stores no address there is none to load.
  if (!program_.stores_addresses) last = 0;
  if (last != 0) {
    pointer_view_.first = first;
    pointer_view_.range = last - first;
  }
  watches_pointers_ = last != 0 || !pointer_view_.parameter_bits.empty();
}

void Worker::StoredPointers(Batch& batch, const FlatInstruction& in, std::uint32_t value,
                            std::uint32_t bytes, std::uint64_t offset) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t pointer = ValueIn(batch, value, bytes, lane);
    if (pointer - pointer_view_.first >= pointer_view_.range) continue;
    const Region* object = batch.FindRegion(pointer);
    const Address at = address[lane] + in.immediate + offset;
    const Region* target = batch.FindRegion(at);
    if (object == nullptr || target == nullptr || !IsOwned(object->space)) continue;
    const StoredPointer stored = {pointer, group_,
                                  batch.first_item + static_cast<std::uint64_t>(lane), in.place};
    if (target->space == AddressSpace::kLocal) {
      local_pointers_[at] = stored;
    } else if (target->space == AddressSpace::kGlobal) {
      const std::lock_guard lock(launch_.pointers.mutex);
      launch_.pointers.stored[at] = stored;
    }
  }
  Spend(64);
}

void Worker::LoadedPointers(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                            std::uint32_t bytes, std::uint64_t offset) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  const std::string rule = "pointer-private-escape";
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t pointer = ValueIn(batch, result, bytes, lane);
    if (pointer - pointer_view_.first >= pointer_view_.range) continue;
    const Region* object = batch.FindRegion(pointer);
    const Address at = address[lane] + in.immediate + offset;
    const Region* source = batch.FindRegion(at);
    if (object == nullptr || source == nullptr || !IsOwned(object->space)) continue;
    StoredPointer stored;
    if (source->space == AddressSpace::kLocal) {
      const auto found = local_pointers_.find(at);
      if (found != local_pointers_.end()) stored = found->second;
    } else if (source->space == AddressSpace::kGlobal) {
      const std::lock_guard lock(launch_.pointers.mutex);
      const auto found = launch_.pointers.stored.find(at);
      if (found != launch_.pointers.stored.end()) stored = found->second;
    }
    const bool is_private = object->space == AddressSpace::kPrivate;
    const std::uint64_t item = batch.first_item + static_cast<std::uint64_t>(lane);
    if (stored.value != pointer ||
        (stored.group == group_ && (!is_private || stored.item == item)) ||
        CountAgain(rule, in.place)) {
      continue;
    }
    Report(batch, in.place, lane, FindingClass::kUndefinedBehavior, rule,
           fmt::format("a pointer to {} memory '{}' of another {} is loaded",
                       AddressSpaceName(object->space), launch_.memory->NameOf(object->object),
                       is_private ? "work-item" : "work-group"),
           {fmt::format("stored by work-item {}: {}", DescribeItem(stored.group, stored.item),
                        DescribePlace(stored.place))});
  }
  Spend(64);
}

// --- restrict ---------------------------------------------------------------------------------

namespace {

bool IsRestrict(const frontend::Module& module, frontend::Id parameter) {
  for (const frontend::DecorationUse& use : module.DecorationsOf(parameter)) {
    if (use.member != frontend::kNone) continue;
    if (use.decoration == Decoration::kRestrict) return true;
    const auto words = module.Slice(use.operands);
    if (use.decoration == Decoration::kFuncParamAttr && !words.empty() &&
        words[0] == static_cast<frontend::Word>(FunctionParameterAttribute::kNoAlias)) {
      return true;
    }
  }
  return false;
}

}  // namespace

// Which parameters share a buffer with a restrict one, where the kernel writes through one of them.
void FindRestrict(const frontend::Function& function, LaunchState* launch) {
  const Program& program = *launch->program;
  if (!program.detectors.Has(Detector::kPointers)) return;
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
      const auto& written = program.written_parameters;
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

void Worker::AccessedByParameter(Batch& batch, const FlatInstruction& in, std::uint64_t bytes,
                                 bool writes) {
  const std::uint32_t parameter = program_.places[in.place].parameter;
  if (parameter >= pointer_view_.parameter_bits.size()) return;
  const std::uint16_t mine = pointer_view_.parameter_bits[parameter];
  if (mine == 0) return;
  const std::string rule = "pointer-restrict";
  const auto* address = batch.Register<std::uint64_t>(in.a);
  PointerRecords& records = launch_.pointers;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Address at = address[lane] + in.immediate;
    const Region* region = batch.FindRegion(at);
    if (region == nullptr) continue;
    const auto found = records.accessed.find(region->address);
    const std::uint64_t offset = at - region->address;
    if (found == records.accessed.end() || offset > found->second.size() ||
        bytes > found->second.size() - offset) {
      continue;
    }
    std::uint16_t all = 0;
    for (std::uint64_t i = offset; i < offset + bytes; ++i) {
      std::uint16_t& byte = found->second[i];
      byte = static_cast<std::uint16_t>(byte | mine | (writes ? PointerRecords::kWritten : 0));
      all = static_cast<std::uint16_t>(all | byte);
    }
    const auto pointers = static_cast<std::uint16_t>(all & ~PointerRecords::kWritten);
    if ((all & PointerRecords::kWritten) == 0 || pointers == mine ||
        (pointers & records.restrict_bits) == 0 || CountAgain(rule, in.place)) {
      continue;
    }
    Report(batch, in.place, lane, FindingClass::kUndefinedBehavior, rule,
           fmt::format("{} of {} bytes at offset {} of {} memory '{}', which is accessed through "
                       "another parameter too and changed, and one of the two is restrict",
                       writes ? "store" : "load", bytes, offset, AddressSpaceName(region->space),
                       launch_.memory->NameOf(region->object)));
  }
  Spend(64);
}

void LoadedPointers(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                    std::uint32_t bytes, std::uint64_t offset) {
  batch.worker->LoadedPointers(batch, in, result, bytes, offset);
}
void StoredPointers(Batch& batch, const FlatInstruction& in, std::uint32_t value,
                    std::uint32_t bytes, std::uint64_t offset) {
  batch.worker->StoredPointers(batch, in, value, bytes, offset);
}
void AccessedByParameter(Batch& batch, const FlatInstruction& in, std::uint64_t bytes,
                         bool writes) {
  batch.worker->AccessedByParameter(batch, in, bytes, writes);
}

}  // namespace assay::interp
