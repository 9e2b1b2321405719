#include "interp/debug/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "interp/execute/built_ins.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::StorageClass;
using frontend::TypeRef;
using ExpressionKind = DebugExpression::Kind;

namespace {

constexpr std::pair<std::string_view, InputKind> kSubgroupInputs[] = {
    {"get_sub_group_size", InputKind::kSubgroupSize},
    {"get_max_sub_group_size", InputKind::kSubgroupMaxSize},
    {"get_num_sub_groups", InputKind::kNumSubgroups},
    {"get_enqueued_num_sub_groups", InputKind::kNumEnqueuedSubgroups},
    {"get_sub_group_id", InputKind::kSubgroupId},
    {"get_sub_group_local_id", InputKind::kSubgroupLocalId}};

}  // namespace

Expected<DebugScope> ScopeOf(DebugProgram* program, const DebugItem& item, std::uint32_t level,
                             std::uint64_t time) {
  if (item.batch == nullptr || item.marker == kNoMarker) {
    return Fail(ErrorKind::kUsage,
                "the work-item is at no place: it has not begun, or has returned");
  }
  const DebugMarker marker = program->program.debug->markers[item.marker];
  const auto frames = program->frames.At(marker.origin, marker.site);
  if (level >= frames.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("there is no frame {}; the outermost is {}", level, frames.size() - 1));
  }
  return DebugScope{program, item, frames[level], time};
}

DebugEvaluator::DebugEvaluator(const DebugScope& scope) : scope_(scope), memory_(*scope.program) {}

tl::unexpected<Error> DebugEvaluator::Wrong(const DebugExpression& expression,
                                            const std::string& what) {
  return Fail(ErrorKind::kUsage, fmt::format("column {}: {}", expression.column, what));
}

DebugValue DebugEvaluator::Make(TypeRef type, std::uint64_t bits) const {
  DebugValue value;
  value.type = type;
  // What has no room for its bytes is one that nobody but `whatis` and `sizeof` can ask for.
  if (TypeAt(type).bytes <= kMostValueBytes) value.bytes.resize(TypeAt(type).bytes);
  std::memcpy(value.bytes.data(), &bits, std::min<std::size_t>(value.bytes.size(), sizeof bits));
  return value;
}

DebugValue DebugEvaluator::Integer(std::uint64_t value, std::uint32_t bits, bool is_signed) {
  return Make(
      scope_.program->types.Scalar(is_signed ? SourceKind::kSigned : SourceKind::kUnsigned, bits),
      value);
}

Expected<bool> DebugEvaluator::IsTrue(const DebugExpression& expression) {
  const auto value = Operand(expression);
  if (!value) return tl::unexpected(value.error());
  return IsTrueValue(expression, *value);
}

Expected<bool> DebugEvaluator::IsTrueValue(const DebugExpression& expression,
                                           const DebugValue& value) const {
  const SourceType& type = TypeAt(value.type);
  if (!type.IsScalar() && type.kind != SourceKind::kPointer) {
    return Wrong(expression, fmt::format("a condition that is a {}", type.name));
  }
  if (value.IsUndefined() && !only_types_) {
    return Wrong(expression, "what decides is undefined");
  }
  if (type.kind == SourceKind::kFloat) {
    // Both zeros are false.
    return (value.Bits() & (MaskOfBytes(type.bytes) >> 1)) != 0;
  }
  return value.Bits() != 0;
}

Expected<DebugValue> DebugEvaluator::Operand(const DebugExpression& expression) {
  auto value = Evaluate(expression);
  if (value && value->IsMissing()) return Wrong(expression, "some of it is optimized out");
  return value;
}

Expected<DebugValue> DebugEvaluator::Evaluate(const DebugExpression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kInteger:
    case ExpressionKind::kFloat:
      return Make(expression.type, expression.bits);
    case ExpressionKind::kName:
      return Name(expression);
    case ExpressionKind::kId:
      return Id(expression);
    case ExpressionKind::kDollar:
      return Dollar(expression);
    case ExpressionKind::kCall:
      return Call(expression);
    case ExpressionKind::kMember:
    case ExpressionKind::kArrow: {
      const auto object = ObjectOf(expression);
      return object ? Member(expression, *object) : object;
    }
    case ExpressionKind::kIndex:
      return Index(expression);
    case ExpressionKind::kUnary:
      return Unary(expression);
    case ExpressionKind::kBinary:
      if (expression.text == "=") return Assign(expression);
      if (expression.text == "&&" || expression.text == "||") return Logical(expression);
      return Binary(expression);
    case ExpressionKind::kConditional:
      return Conditional(expression);
    case ExpressionKind::kCast: {
      const auto value = Operand(expression.operands[0]);
      return value ? Cast(expression, *value, expression.type) : value;
    }
    case ExpressionKind::kVector:
      return Vector(expression);
    case ExpressionKind::kSizeof: {
      Expected<TypeRef> type = expression.type;
      if (!expression.operands.empty()) type = TypeOf(expression.operands[0]);
      if (!type) return tl::unexpected(type.error());
      return Integer(TypeAt(*type).bytes, 64, false);
    }
  }
  return Wrong(expression, "an expression that is not known");
}

// --- names ------------------------------------------------------------------------------------

Expected<DebugValue> DebugEvaluator::ValueOfId(frontend::Id id, TypeRef type) {
  DebugProgram& program = *scope_.program;
  const frontend::Instruction* definition = program.module.Definition(id);
  if (definition == nullptr || definition->type == 0) {
    return Fail(ErrorKind::kUsage, fmt::format("%{} is no value", id));
  }
  const frontend::Type* matrix = program.module.types.Find(definition->type);
  if (type == 0 && matrix != nullptr && matrix->IsMatrix()) {
    const std::uint32_t size = program.program.subgroup_size;
    type = program.types.OfMatrix(definition->type, size,
                                  static_cast<std::uint32_t>(scope_.item.local % size));
  }
  if (type == 0) type = program.types.OfSpirv(definition->type);
  if (!program.frames.IsComputed(id, scope_.frame.origin)) {
    return Fail(ErrorKind::kUsage, fmt::format("%{} is not computed yet", id));
  }
  const auto registers = program.program.debug->Find(scope_.frame.site, id);
  if (!registers.empty()) return memory_.FromRegisters(scope_.item, registers, type);
  // A constant of the module: the scalars of one.
  if (const frontend::Constant* constant = program.module.constants.Find(id)) {
    if (TypeAt(type).bytes > kMostValueBytes) return DebugMemory::TooLarge(TypeAt(type).bytes);
    if (constant->kind == frontend::ConstantKind::kNull) {
      DebugValue value;
      value.type = type;
      value.bytes.resize(TypeAt(type).bytes);
      return value;
    }
    if (constant->kind == frontend::ConstantKind::kScalar) return Make(type, constant->bits);
    if (constant->kind == frontend::ConstantKind::kComposite) {
      DebugValue value;
      value.type = type;
      value.bytes.resize(TypeAt(type).bytes);
      const SourceType& whole = TypeAt(type);
      for (std::uint32_t i = 0; i < constant->part_count; ++i) {
        const frontend::Constant& part = program.module.constants.Part(*constant, i);
        const bool is_struct = whole.kind == SourceKind::kStruct;
        const TypeRef part_type = is_struct ? whole.members[i].type : whole.element;
        const std::uint64_t offset =
            is_struct ? whole.members[i].offset : i * TypeAt(part_type).bytes;
        if (part.kind != frontend::ConstantKind::kScalar) continue;
        std::memcpy(value.bytes.data() + offset, &part.bits, TypeAt(part_type).bytes);
      }
      return value;
    }
  }
  // A variable of the module: its address, as far as it is known to the launch.
  for (const auto& [address, origin] : program.launch.declarations) {
    if (program.module.instructions[origin].result == id) return Make(type, address);
  }
  return Fail(ErrorKind::kUsage, fmt::format("%{} has no value in this frame", id));
}

Expected<DebugValue> DebugEvaluator::Call(const DebugExpression& expression) {
  const LaunchState& launch = scope_.program->launch;
  const DebugItem& item = scope_.item;
  std::vector<DebugValue> arguments;
  for (const DebugExpression& operand : expression.operands) {
    auto value = Operand(operand);
    if (!value) return value;
    arguments.push_back(std::move(*value));
  }
  if (expression.text.starts_with("as_") && arguments.size() == 1) {
    const auto type = scope_.program->types.Named(std::string_view(expression.text).substr(3));
    if (type && TypeAt(*type).bytes == arguments[0].bytes.size()) {
      DebugValue value = arguments[0];
      value.type = *type;
      value.place = DebugValue::Place::kNone;
      return value;
    }
    return Wrong(expression, fmt::format("{} of a value of {} bytes", expression.text,
                                         arguments[0].bytes.size()));
  }
  const auto global = item.worker->GlobalIdOf(item.group, item.local);
  const std::uint64_t d = arguments.empty() ? 0 : arguments[0].Bits();
  const bool inside = d < 3;
  const std::array<std::uint64_t, 3> group = launch.GroupId(item.group);
  const std::string& name = expression.text;
  const auto of = [&](const std::array<std::uint64_t, 3>& values, std::uint64_t otherwise) {
    return Integer(inside ? values[d] : otherwise, 64, false);
  };
  if (name == "get_work_dim")
    return Integer(static_cast<std::uint64_t>(launch.range.dimensions), 32, false);
  if (name == "get_global_id") return of(global, 0);
  if (name == "get_group_id") return of(group, 0);
  if (name == "get_global_size") return of(launch.range.global, 1);
  if (name == "get_local_size" || name == "get_enqueued_local_size") return of(launch.local, 1);
  if (name == "get_num_groups") return of(launch.groups, 1);
  if (name == "get_global_offset") return of(launch.range.offset, 0);
  if (name == "get_local_id") {
    if (!inside) return Integer(0, 64, false);
    return Integer(global[d] - launch.range.offset[d] - group[d] * launch.local[d], 64, false);
  }
  if (name == "get_local_linear_id") return Integer(item.local, 64, false);
  for (const auto& [function, input] : kSubgroupInputs) {
    if (name != function) continue;
    const GroupPosition position = PositionOf(launch, item.group);
    return Integer(SubgroupInput(launch, position, {.input_kind = input}, item.local), 32, false);
  }
  return Builtin(expression, arguments);
}

// --- parts ------------------------------------------------------------------------------------

Expected<DebugValue> DebugEvaluator::Part(const DebugValue& object, std::uint64_t offset,
                                          TypeRef type) const {
  const std::uint64_t bytes = TypeAt(type).bytes;
  if (offset + bytes > object.bytes.size()) {
    return Fail(ErrorKind::kUsage, "a part that is not inside of its object");
  }
  DebugValue part = object.Slice(offset, bytes);
  part.type = type;
  if (part.IsMissing() && (TypeAt(type).IsScalar() || TypeAt(type).kind == SourceKind::kPointer)) {
    return Fail(ErrorKind::kUsage, "this part is optimized out");
  }
  return part;
}

Expected<DebugValue> DebugEvaluator::Member(const DebugExpression& expression,
                                            const DebugValue& object) {
  const SourceType& type = TypeAt(object.type);
  if (type.kind == SourceKind::kVector) return Components(expression, object);
  for (const frontend::SourceMember& member : type.members) {
    if (member.name != expression.text) continue;
    auto part = Part(object, member.offset, member.type);
    return part ? part : Wrong(expression, part.error().message);
  }
  if (type.kind == SourceKind::kPointer && expression.kind == ExpressionKind::kMember) {
    return Wrong(expression, "a pointer has no members: write -> and not .");
  }
  if (type.kind != SourceKind::kStruct && type.kind != SourceKind::kUnion) {
    return Wrong(expression, fmt::format("a {} has no members", type.name));
  }
  return Wrong(expression, fmt::format("{} has no member '{}'", type.name, expression.text));
}

Expected<DebugValue> DebugEvaluator::ObjectOf(const DebugExpression& expression) {
  auto object = Evaluate(expression.operands[0]);
  if (!object || expression.kind != ExpressionKind::kArrow) return object;
  return Dereference(expression, *object);
}

// .x, .xyz, .s0a, .lo, .hi, .even, .odd (OpenCL C 6.1.7).
Expected<std::vector<std::uint64_t>> DebugEvaluator::ComponentPlaces(
    const DebugExpression& expression, const DebugValue& vector) const {
  const SourceType& type = TypeAt(vector.type);
  const std::string& text = expression.text;
  std::vector<std::uint64_t> places;
  const std::uint64_t even = type.count == 3 ? 4 : type.count;
  if (text == "lo" || text == "hi") {
    for (std::uint64_t i = 0; i < even / 2; ++i) places.push_back(text == "hi" ? even / 2 + i : i);
  } else if (text == "even" || text == "odd") {
    for (std::uint64_t i = 0; i < even / 2; ++i) places.push_back(2 * i + (text == "odd" ? 1 : 0));
  } else if (text.size() > 1 && (text[0] == 's' || text[0] == 'S')) {
    for (const char c : text.substr(1)) {
      const std::size_t place =
          std::string_view("0123456789abcdef").find(static_cast<char>(std::tolower(c)));
      places.push_back(place == std::string_view::npos ? type.count : place);
    }
  } else {
    for (const char c : text) {
      const std::size_t xyzw = std::string_view("xyzw").find(c);
      const std::size_t rgba = std::string_view("rgba").find(c);
      places.push_back(std::min(xyzw, rgba));
    }
  }
  for (const std::uint64_t place : places) {
    if (place >= even || (place >= type.count && text != "hi" && text != "odd")) {
      return Wrong(expression, fmt::format("{} has no component '{}'", type.name, text));
    }
  }
  constexpr std::size_t kWidths[] = {1, 2, 3, 4, 8, 16};
  if (std::ranges::find(kWidths, places.size()) == std::end(kWidths)) {
    return Wrong(expression, fmt::format("no vector has {} components", places.size()));
  }
  return places;
}

Expected<DebugValue> DebugEvaluator::Components(const DebugExpression& expression,
                                                const DebugValue& vector) {
  const auto found = ComponentPlaces(expression, vector);
  if (!found) return tl::unexpected(found.error());
  const std::vector<std::uint64_t>& places = *found;
  const TypeRef element = TypeAt(vector.type).element;
  const std::uint64_t stride = TypeAt(element).bytes;
  if (places.size() == 1) {
    auto part = Part(vector, places[0] * stride, element);
    return part ? part : Wrong(expression, part.error().message);
  }
  DebugValue result = Make(scope_.program->types.VectorOf(element, places.size()), 0);
  bool is_run = TypeAt(result.type).bytes == places.size() * stride;
  for (std::size_t i = 0; i < places.size(); ++i) {
    result.SetPart(i * stride, vector.Slice(places[i] * stride, stride));
    is_run = is_run && places[i] == places[0] + i;
  }
  // Neighbors are a vector of their own in memory.
  if (is_run && vector.place == DebugValue::Place::kMemory) {
    result.place = DebugValue::Place::kMemory;
    result.address = vector.address + places[0] * stride;
  }
  return result;
}

Expected<DebugValue> DebugEvaluator::Dereference(const DebugExpression& expression,
                                                 const DebugValue& pointer, std::uint64_t offset) {
  const SourceType& type = TypeAt(pointer.type);
  if (type.kind != SourceKind::kPointer) {
    return Wrong(expression, fmt::format("a {} is no pointer", type.name));
  }
  if (TypeAt(type.element).bytes == 0) {
    return Wrong(expression,
                 fmt::format("a {} points to nothing that has a size: cast it", type.name));
  }
  if (only_types_) return Make(type.element, 0);
  if (pointer.IsUndefined()) return Wrong(expression, "the pointer is undefined");
  const auto value = memory_.Load(scope_.item, pointer.Bits() + offset, type.element);
  return value ? value : Wrong(expression, value.error().message);
}

// A kernel that goes beyond a row reads what lies there: so does who looks at what it did.
Expected<DebugValue> DebugEvaluator::BesideArray(const DebugExpression& expression,
                                                 const DebugValue& array, std::int64_t place) {
  const SourceType type = TypeAt(array.type);
  const std::string what = fmt::format("element {} of {} elements", place, type.count);
  if (type.kind != SourceKind::kArray || array.place != DebugValue::Place::kMemory) {
    return Wrong(expression, what);
  }
  const Address address =
      array.address + static_cast<std::uint64_t>(place) * TypeAt(type.element).bytes;
  auto value = memory_.Load(scope_.item, address, type.element);
  if (!value) return Wrong(expression, fmt::format("{}: {}", what, value.error().message));
  warnings_.push_back(fmt::format("column {}: {}: this is what the kernel reads there, {}",
                                  expression.column, what, memory_.DescribeAddress(address)));
  return value;
}

Expected<DebugValue> DebugEvaluator::Index(const DebugExpression& expression) {
  auto object = Evaluate(expression.operands[0]);
  if (!object) return object;
  auto index = Operand(expression.operands[1]);
  if (!index) return index;
  if (!TypeAt(index->type).IsInteger()) return Wrong(expression, "an index that is no integer");
  const std::int64_t place = TypeAt(index->type).kind == SourceKind::kUnsigned
                                 ? static_cast<std::int64_t>(index->Bits())
                                 : SignExtended(index->Bits(), index->bytes.size());
  const SourceType type = TypeAt(object->type);
  if (index->IsUndefined() && !only_types_) return Wrong(expression, "the index is undefined");
  const std::uint64_t offset = static_cast<std::uint64_t>(place) * TypeAt(type.element).bytes;
  if (type.kind == SourceKind::kPointer) return Dereference(expression, *object, offset);
  if (type.kind != SourceKind::kArray && type.kind != SourceKind::kVector) {
    return Wrong(expression, fmt::format("a {} has no elements", type.name));
  }
  if (only_types_) return Make(type.element, 0);
  if (place < 0 || static_cast<std::uint64_t>(place) >= type.count) {
    return BesideArray(expression, *object, place);
  }
  auto part = Part(*object, offset, type.element);
  return part ? part : Wrong(expression, part.error().message);
}

}  // namespace assay::interp
