// Variables and expressions for a front end.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/debug/server.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

namespace {

// The call whose private variable a region is; nothing for other memory.
std::optional<std::uint32_t> SiteOf(const DebugScope& scope, const Region& region) {
  const DebugProgram& program = *scope.program;
  if (region.space != AddressSpace::kPrivate ||
      region.variable >= program.program.variables.size()) {
    return std::nullopt;
  }
  const std::uint32_t origin = program.program.variables[region.variable].origin;
  const std::uint32_t home = program.places.FunctionOf(origin);
  std::uint32_t instruction = scope.frame.origin;
  for (std::uint32_t site = scope.frame.site;; site = program.program.sites[site].caller) {
    if (program.places.FunctionOf(instruction) == home) return site;
    if (site == 0) return std::nullopt;
    instruction = program.program.sites[site].instruction;
  }
}

// Whether nothing in it can have another value later on.
bool IsConstant(const DebugExpression& expression) {
  using Kind = DebugExpression::Kind;
  const bool is_name = expression.kind == Kind::kName || expression.kind == Kind::kId ||
                       expression.kind == Kind::kDollar;
  const bool is_memory = expression.kind == Kind::kArrow || expression.kind == Kind::kIndex ||
                         (expression.kind == Kind::kUnary && expression.text == "*");
  return !is_name && !is_memory && std::ranges::all_of(expression.operands, IsConstant);
}

// An expression that is the scalar or pointer with these bits.
std::string Again(const SourceType& type, std::uint64_t bits) {
  if (type.kind != SourceKind::kFloat) return fmt::format("(({}){}ul)", type.name, bits);
  const std::string_view number = type.bytes == 2 ? "half" : type.bytes == 4 ? "float" : "double";
  const std::string_view integer = type.bytes == 2 ? "ushort" : type.bytes == 4 ? "uint" : "ulong";
  return fmt::format("as_{}(({}){}u)", number, integer, bits);
}

constexpr std::uint64_t kMostParts = 1000;

// Shows the values of a list until they take all the room.
class ValueList {
 public:
  ValueList(const DebugProgram& program, const DebugFormat& format)
      : program_(program), format_(format) {}

  void Show(const DebugValue& value, debug::Variable* variable) {
    constexpr std::size_t kMostShown = std::size_t{1} << 25;
    if (shown_ > kMostShown) {
      variable->missing = "not shown: those above take all the room";
      return;
    }
    variable->value = FormatValue(program_, value, format_);
    shown_ += variable->value.size();
  }

 private:
  const DebugProgram& program_;
  DebugFormat format_;
  std::size_t shown_ = 0;
};

}  // namespace

// --- variables --------------------------------------------------------------------------------

Expected<debug::VariablesAnswer> DebugServer::Reply(const debug::VariablesRequest& request) {
  const auto scope = ScopeOfTarget(request.target);
  if (!scope) return tl::unexpected(scope.error());
  const DebugFormat format = DebugFormatOf(request);
  using Kind = debug::VariablesRequest::Kind;
  switch (request.kind) {
    case Kind::kLocals:
      return debug::VariablesAnswer{Locals(*scope, format)};
    case Kind::kGlobals:
      return debug::VariablesAnswer{Globals(*scope, format)};
    case Kind::kRegisters:
      return debug::VariablesAnswer{Registers(*scope, format)};
  }
  return Fail(ErrorKind::kInternal, "no such list of variables");
}

std::vector<debug::Variable> DebugServer::Locals(const DebugScope& scope,
                                                 const DebugFormat& format) {
  DebugEvaluator evaluator(scope);
  std::vector<debug::Variable> list;
  ValueList values(*core_.program(), format);
  for (const DebugLocal& local : core_.program()->frames.Locals(scope.frame)) {
    debug::Variable one{.name = local.name,
                        .type = core_.program()->types.At(local.type).name,
                        .is_argument = local.is_argument};
    const auto value = evaluator.ValueOf(local);
    if (value) {
      values.Show(*value, &one);
    } else {
      // "'x' is optimized out": the name stands before it.
      one.missing = value.error().message;
      const std::string begin = fmt::format("'{}' is ", local.name);
      if (one.missing->starts_with(begin)) one.missing->erase(0, begin.size());
    }
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<debug::Variable> DebugServer::Globals(const DebugScope& scope,
                                                  const DebugFormat& format) {
  DebugEvaluator evaluator(scope);
  std::vector<debug::Variable> list;
  ValueList values(*core_.program(), format);
  for (const frontend::SourceGlobal& global : core_.program()->globals) {
    if (global.name.empty()) continue;  // a string literal: nothing can name it
    debug::Variable one{.name = global.name, .type = core_.program()->types.At(global.type).name};
    DebugExpression name;
    name.kind = DebugExpression::Kind::kName;
    name.text = global.name;
    const auto value = evaluator.Evaluate(name);
    if (value) {
      values.Show(*value, &one);
    } else {
      one.missing = "not used by this kernel";
    }
    list.push_back(std::move(one));
  }
  return list;
}

// Every id that has a value in the frame.
std::vector<debug::Variable> DebugServer::Registers(const DebugScope& scope,
                                                    const DebugFormat& format) {
  DebugProgram& program = *core_.program();
  DebugEvaluator evaluator(scope);
  std::vector<debug::Variable> list;
  const std::uint32_t function = program.places.FunctionOf(scope.frame.origin);
  frontend::Id last = 0;
  for (const DebugBinding& binding : program.program.debug->bindings) {
    if (binding.site != scope.frame.site || binding.id == last) continue;
    last = binding.id;
    const frontend::Instruction* definition = program.module.Definition(binding.id);
    if (definition == nullptr) continue;
    const auto place = static_cast<std::uint32_t>(definition - program.module.instructions.data());
    if (program.places.FunctionOf(place) != function ||
        !program.frames.IsComputed(binding.id, scope.frame.origin)) {
      continue;
    }
    const auto value = evaluator.ValueOfId(binding.id, 0);
    if (!value) continue;
    list.push_back({.name = fmt::format("%{}", binding.id),
                    .called = std::string(program.module.NameOf(binding.id)),
                    .type = program.types.At(value->type).name,
                    .value = FormatValue(program, *value, format)});
  }
  return list;
}

// --- expressions ------------------------------------------------------------------------------

// Of a large array the first parts.
std::vector<std::string> DebugServer::PartNames(const DebugValue& value) const {
  std::vector<std::string> names;
  const frontend::SourceTypes& types = core_.program()->types;
  const SourceType& type = types.At(value.type);
  switch (type.kind) {
    case SourceKind::kStruct:
    case SourceKind::kUnion:
      for (const frontend::SourceMember& member : type.members) names.push_back(member.name);
      break;
    case SourceKind::kArray:
    case SourceKind::kVector:
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(type.count, kMostParts); ++i) {
        names.push_back(fmt::format("[{}]", i));
      }
      break;
    case SourceKind::kPointer:
      if (types.At(type.element).bytes != 0 && value.Bits() != 0) names.emplace_back("*");
      break;
    case SourceKind::kUnknown:
    case SourceKind::kVoid:
    case SourceKind::kBool:
    case SourceKind::kSigned:
    case SourceKind::kUnsigned:
    case SourceKind::kFloat:
    case SourceKind::kEnum:
      break;
  }
  return names;
}

// Nothing where it is no scalar, vector or pointer, or some of it is undefined.
std::optional<debug::ValueBits> DebugServer::BitsOf(const DebugValue& value) const {
  const frontend::SourceTypes& types = core_.program()->types;
  const SourceType& type = types.At(value.type);
  const bool is_vector = type.kind == SourceKind::kVector;
  const SourceType& component = is_vector ? types.At(type.element) : type;
  const std::uint64_t count = is_vector ? type.count : 1;
  const bool is_number = component.IsScalar() || component.kind == SourceKind::kPointer;
  const std::uint64_t bytes = component.bytes;
  if (!is_number || value.IsUndefined() || value.IsMissing() || bytes == 0 || bytes > 8 ||
      value.bytes.size() < bytes * count) {
    return std::nullopt;
  }
  using Kind = debug::ValueBits::Kind;
  const bool is_signed =
      component.kind == SourceKind::kSigned || component.kind == SourceKind::kEnum;
  debug::ValueBits result{.kind = component.kind == SourceKind::kFloat     ? Kind::kFloat
                                  : component.kind == SourceKind::kPointer ? Kind::kPointer
                                  : is_signed                              ? Kind::kSigned
                                                                           : Kind::kUnsigned,
                          .bits = static_cast<int>(bytes) * 8};
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value.bytes.data() + i * bytes, bytes);
    result.components.push_back(bits);
  }
  return result;
}

void DebugServer::AddValue(const DebugScope& scope, const DebugValue& value,
                           const DebugFormat& format, debug::EvaluateAnswer* answer) {
  DebugProgram& program = *core_.program();
  const SourceType& type = program.types.At(value.type);
  answer->value = FormatValue(program, value, format);
  const bool is_text = format.letter == 's' && type.kind == SourceKind::kPointer &&
                       program.types.At(type.element).bytes == 1 && !value.IsUndefined();
  if (is_text) {
    if (const auto text = TextAt(scope, value.Bits())) {
      answer->value = fmt::format("{:#x} {}", value.Bits(), FormatValue(program, *text, format));
    }
  }
  answer->bits = BitsOf(value);
  if (!answer->bits) return;
  const bool is_vector = type.kind == SourceKind::kVector;
  const SourceType& component = is_vector ? program.types.At(type.element) : type;
  if (component.kind == SourceKind::kEnum) return;
  std::string all;
  for (const std::uint64_t bits : answer->bits->components) {
    all += (all.empty() ? "" : ", ") + Again(component, bits);
  }
  answer->again = is_vector ? fmt::format("(({})({}))", type.name, all) : std::move(all);
}

void DebugServer::AddPlace(const DebugScope& scope, const DebugValue& value,
                           debug::EvaluateAnswer* answer) const {
  if (value.place != DebugValue::Place::kMemory) return;
  const DebugProgram& program = *core_.program();
  answer->address = value.address;
  answer->object = DebugMemory(program).DescribeAddress(value.address);
  const auto regions = scope.item.worker->regions();
  const std::uint64_t place = value.address >> program.launch.memory->layout().place_bits;
  if (place >= regions.size()) return;
  answer->space = AddressSpaceName(regions[place].space);
  answer->site = SiteOf(scope, regions[place]);
}

void DebugServer::AddType(TypeRef ref, debug::EvaluateAnswer* answer) const {
  const frontend::SourceTypes& types = core_.program()->types;
  const SourceType& type = types.At(ref);
  answer->type = type.name;
  answer->size = type.bytes;
  for (const frontend::SourceMember& member : type.members) {
    answer->members.push_back({member.name, types.At(member.type).name, member.offset});
  }
  for (const auto& [number, name] : type.enumerators) answer->enumerators.push_back({name, number});
}

Expected<debug::EvaluateAnswer> DebugServer::Reply(const debug::EvaluateRequest& request) {
  debug::EvaluateAnswer answer;
  if (request.is_type) {
    const auto type = ParseDebugType(request.expression, &core_.program()->types);
    if (type) {
      AddType(*type, &answer);
      return answer;
    }
  }
  const auto scope = ScopeOfTarget(request.target);
  if (!scope) return tl::unexpected(scope.error());
  const auto parsed = ParseDebugExpression(request.expression, &core_.program()->types);
  if (!parsed) return tl::unexpected(parsed.error());
  const bool assigns = Assigns(*parsed);
  if (assigns != request.assigns) {
    return Fail(ErrorKind::kUsage, assigns ? "an assignment changes the run: use `set var`"
                                           : "write VARIABLE = VALUE");
  }
  DebugEvaluator evaluator(*scope);
  const auto value = evaluator.Evaluate(*parsed);
  if (!value) return tl::unexpected(value.error());
  AddType(value->type, &answer);
  AddValue(*scope, *value, DebugFormatOf(request), &answer);
  AddPlace(*scope, *value, &answer);
  answer.parts = PartNames(*value);
  answer.item = {scope->item.group, scope->item.local};
  answer.frame = {scope->frame.site, scope->frame.function, scope->frame.location.inlined_at};
  answer.is_constant = IsConstant(*parsed);
  answer.warnings = evaluator.warnings();
  return answer;
}

}  // namespace assay::interp
