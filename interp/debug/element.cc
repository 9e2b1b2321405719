#include "interp/debug/element.h"

#include <fmt/format.h>

#include <optional>

#include "frontend/atomics.h"

namespace assay::interp {

using frontend::Op;
using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

namespace {

// The parts of a value of a type that lead to an offset in it: "[2].x".
std::string PathTo(const frontend::SourceTypes& types, TypeRef ref, std::uint64_t offset,
                   std::uint64_t bytes) {
  const SourceType& type = types.At(ref);
  if (offset == 0 && bytes >= type.bytes) return "";
  if (type.kind == SourceKind::kArray || type.kind == SourceKind::kVector) {
    const std::uint64_t stride = types.At(type.element).bytes;
    if (stride == 0) return "";
    const std::uint64_t place = offset / stride;
    const std::string rest = PathTo(types, type.element, offset % stride, bytes);
    const bool is_named = type.kind == SourceKind::kVector && place < 4;
    if (is_named) return fmt::format(".{}{}", "xyzw"[place], rest);
    if (type.kind == SourceKind::kVector) return fmt::format(".s{:x}{}", place, rest);
    return fmt::format("[{}]{}", place, rest);
  }
  if (type.kind == SourceKind::kStruct) {
    for (const frontend::SourceMember& member : type.members) {
      if (offset < member.offset || offset - member.offset >= types.At(member.type).bytes) continue;
      return "." + member.name + PathTo(types, member.type, offset - member.offset, bytes);
    }
  }
  return "";
}

std::string CountText(const std::string& name, std::uint64_t count) {
  if (count == 1) return fmt::format("; {} has 1 element, 0", name);
  return fmt::format("; {} has {} elements, 0 to {}", name, count, count - 1);
}

// Where the value of a name is the object, or leads to its beginning.
std::optional<std::string> ElementOf(const frontend::SourceTypes& types, const std::string& name,
                                     const DebugValue& value, const Region& region,
                                     std::int64_t offset, std::uint64_t bytes) {
  const SourceType& type = types.At(value.type);
  const auto at = static_cast<std::uint64_t>(offset);
  if (value.place == DebugValue::Place::kMemory && value.address == region.address &&
      type.kind != SourceKind::kPointer && offset >= 0 && at < type.bytes) {
    const bool is_array = type.kind == SourceKind::kArray && type.count != 0;
    return name + PathTo(types, value.type, at, bytes) +
           (is_array ? CountText(name, type.count) : "");
  }
  if (type.kind != SourceKind::kPointer || value.IsUndefined() || value.IsMissing() ||
      value.Bits() != region.address) {
    return std::nullopt;
  }
  const auto stride = static_cast<std::int64_t>(types.At(type.element).bytes);
  if (stride == 0) return std::nullopt;
  const std::int64_t place = offset / stride - (offset % stride < 0 ? 1 : 0);
  const auto inside = static_cast<std::uint64_t>(offset - place * stride);
  const std::uint64_t count = region.bytes / static_cast<std::uint64_t>(stride);
  return fmt::format("{}[{}]{}", name, place, PathTo(types, type.element, inside, bytes)) +
         (count == 0 ? "" : CountText(name, count));
}

}  // namespace

std::string DescribeElement(DebugProgram* program, const DebugItem& item, Address address,
                            std::uint64_t bytes) {
  if (item.batch == nullptr || item.marker == kNoMarker || address == 0) return "";
  const Region* region = item.batch->FindRegion(address);
  if (region == nullptr || region->address == 0) return "";
  const auto offset = static_cast<std::int64_t>(address - region->address);
  const DebugMarker marker = program->program.debug->markers[item.marker];
  const frontend::SourceTypes& types = program->types;
  // The innermost frame's names are those of the line that a person looks at.
  for (const DebugFrame& frame : program->frames.At(marker.origin, marker.site)) {
    const DebugScope scope{program, item, frame};
    DebugEvaluator evaluator(scope);
    for (const DebugLocal& local : program->frames.Locals(frame)) {
      const auto value = evaluator.ValueOf(local);
      if (!value) continue;
      if (auto text = ElementOf(types, local.name, *value, *region, offset, bytes)) return *text;
    }
  }
  const auto frames = program->frames.At(marker.origin, marker.site);
  const DebugScope scope{program, item, frames.front()};
  for (const frontend::SourceGlobal& global : program->globals) {
    if (global.name.empty()) continue;
    DebugExpression name;
    name.kind = DebugExpression::Kind::kName;
    name.text = global.name;
    const auto value = DebugEvaluator(scope).Evaluate(name);
    if (!value) continue;
    if (auto text = ElementOf(types, global.name, *value, *region, offset, bytes)) return *text;
  }
  return "";
}

std::string DescribeAccessed(DebugProgram* program, const DebugItem& item) {
  if (item.batch == nullptr || item.marker == kNoMarker) return "";
  const DebugMarker marker = program->program.debug->markers[item.marker];
  const frontend::Instruction& instruction = program->module.instructions[marker.origin];
  const auto operands = program->module.Operands(instruction);
  const bool is_load = instruction.opcode == Op::kLoad;
  const bool is_store = instruction.opcode == Op::kStore;
  const bool is_atomic = frontend::FormOf(instruction.opcode) != frontend::AtomicForm::kNone;
  if ((!is_load && !is_store && !is_atomic) || operands.empty()) return "";
  const auto frames = program->frames.At(marker.origin, marker.site);
  const DebugScope scope{program, item, frames.front()};
  const auto pointer = DebugEvaluator(scope).ValueOfId(operands[0], 0);
  if (!pointer || pointer->IsUndefined()) return "";
  const frontend::Id type = is_store ? program->module.TypeOf(operands[1]) : instruction.type;
  const std::uint64_t bytes = type == 0 ? 0 : program->types.At(program->types.OfSpirv(type)).bytes;
  return DescribeElement(program, item, pointer->Bits(), bytes);
}

}  // namespace assay::interp
