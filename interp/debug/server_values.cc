// Variables, expressions and memory for a front end.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/debug/server.h"

namespace assay::interp {

using Json = DebugServer::Json;
using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

namespace {

DebugFormat FormatOf(const Json& request) {
  DebugFormat format;
  if (request.contains("format")) {
    const std::string letter = request.at("format");
    if (!letter.empty()) format.letter = letter[0];
  }
  if (request.contains("limit")) format.limit = request.at("limit");
  return format;
}

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

constexpr std::size_t kMostChildren = 1000;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostExamined = 65536;
// What all variables of a frame show.
constexpr std::size_t kMostShown = std::size_t{1} << 25;

}  // namespace

Expected<Json> DebugServer::Variables(const Json& request) {
  const auto scope = ScopeOfRequest(request);
  if (!scope) return tl::unexpected(scope.error());
  DebugEvaluator evaluator(*scope);
  Json list = Json::array();
  std::size_t shown = 0;
  for (const DebugLocal& local : core_.program()->frames.Locals(scope->frame)) {
    Json one{{"name", local.name},
             {"type", core_.program()->types.At(local.type).name},
             {"argument", local.is_argument},
             {"line", local.line},
             {"depth", local.depth}};
    const auto value = evaluator.ValueOf(local);
    if (value && shown > kMostShown) {
      one["missing"] = "not shown: those above take all the room";
    } else if (value) {
      std::string text = FormatValue(*core_.program(), *value, FormatOf(request));
      shown += text.size();
      one["value"] = std::move(text);
      one["children"] = Children(*value, local.name);
    } else {
      // "'x' is optimized out": the name stands before it.
      std::string why = value.error().message;
      const std::string begin = fmt::format("'{}' is ", local.name);
      if (why.starts_with(begin)) why.erase(0, begin.size());
      one["missing"] = why;
    }
    list.push_back(std::move(one));
  }
  return Json{{"variables", std::move(list)}};
}

Expected<Json> DebugServer::Globals(const Json& request) {
  const auto scope = ScopeOfRequest(request);
  if (!scope) return tl::unexpected(scope.error());
  DebugEvaluator evaluator(*scope);
  Json list = Json::array();
  std::size_t shown = 0;
  for (const frontend::SourceGlobal& global : core_.program()->globals) {
    if (global.name.empty()) continue;  // a string literal: nothing can name it
    Json one{{"name", global.name}, {"type", core_.program()->types.At(global.type).name}};
    DebugExpression name;
    name.kind = DebugExpression::Kind::kName;
    name.text = global.name;
    const auto value = evaluator.Evaluate(name);
    if (value && shown > kMostShown) {
      one["missing"] = "not shown: those above take all the room";
    } else if (value) {
      std::string text = FormatValue(*core_.program(), *value, FormatOf(request));
      shown += text.size();
      one["value"] = std::move(text);
      one["children"] = Children(*value, global.name);
    } else {
      one["missing"] = "not used by this kernel";
    }
    list.push_back(std::move(one));
  }
  return Json{{"variables", std::move(list)}};
}

// Every id that has a value in the frame.
Expected<Json> DebugServer::Registers(const Json& request) {
  const auto scope = ScopeOfRequest(request);
  if (!scope) return tl::unexpected(scope.error());
  DebugProgram& program = *core_.program();
  DebugEvaluator evaluator(*scope);
  Json list = Json::array();
  const std::uint32_t function = program.places.FunctionOf(scope->frame.origin);
  frontend::Id last = 0;
  for (const DebugBinding& binding : program.program.debug->bindings) {
    if (binding.site != scope->frame.site || binding.id == last) continue;
    last = binding.id;
    const frontend::Instruction* definition = program.module.Definition(binding.id);
    if (definition == nullptr) continue;
    const auto place = static_cast<std::uint32_t>(definition - program.module.instructions.data());
    if (program.places.FunctionOf(place) != function ||
        !program.frames.IsComputed(binding.id, scope->frame.origin)) {
      continue;
    }
    const auto value = evaluator.ValueOfId(binding.id, 0);
    if (!value) continue;
    const std::string name(program.module.NameOf(binding.id));
    list.push_back({{"name", fmt::format("%{}", binding.id)},
                    {"called", name},
                    {"type", program.types.At(value->type).name},
                    {"value", FormatValue(program, *value, FormatOf(request))}});
  }
  return Json{{"variables", std::move(list)}};
}

// The parts of a value, as expressions.
Json DebugServer::Children(const DebugValue& value, const std::string& expression) {
  Json list = Json::array();
  const frontend::SourceTypes& types = core_.program()->types;
  const SourceType& type = types.At(value.type);
  const auto add = [&](const std::string& name, const std::string& text) {
    list.push_back({{"name", name}, {"expression", text}});
  };
  switch (type.kind) {
    case SourceKind::kStruct:
    case SourceKind::kUnion:
      for (const frontend::SourceMember& member : type.members) {
        add(member.name, fmt::format("({}).{}", expression, member.name));
      }
      break;
    case SourceKind::kArray:
    case SourceKind::kVector:
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(type.count, kMostChildren); ++i) {
        add(fmt::format("[{}]", i), fmt::format("({})[{}]", expression, i));
      }
      break;
    case SourceKind::kPointer:
      if (types.At(type.element).bytes != 0 && value.Bits() != 0) {
        add("*", fmt::format("*({})", expression));
      }
      break;
    default:
      break;
  }
  return list;
}

// A scalar or vector as its components' bits, for who writes them in another way; null where it is
// none, or something of it is undefined.
Json DebugServer::Parts(const DebugValue& value) const {
  const frontend::SourceTypes& types = core_.program()->types;
  const SourceType& type = types.At(value.type);
  const bool is_vector = type.kind == SourceKind::kVector;
  const SourceType& component = is_vector ? types.At(type.element) : type;
  const std::uint64_t count = is_vector ? type.count : 1;
  const bool is_number = component.IsScalar() || component.kind == SourceKind::kPointer;
  const std::uint64_t bytes = component.bytes;
  if (!is_number || value.IsUndefined() || value.IsMissing() || bytes == 0 || bytes > 8 ||
      value.bytes.size() < bytes * count) {
    return nullptr;
  }
  Json components = Json::array();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value.bytes.data() + i * bytes, bytes);
    components.push_back(bits);
  }
  return {{"kind", component.kind == SourceKind::kFloat     ? "float"
                   : component.kind == SourceKind::kPointer ? "pointer"
                   : component.kind == SourceKind::kSigned || component.kind == SourceKind::kEnum
                       ? "signed"
                       : "unsigned"},
          {"bits", bytes * 8},
          {"components", std::move(components)}};
}

Json DebugServer::ValueJson(const DebugScope& scope, const DebugValue& value,
                            const DebugFormat& format) {
  DebugProgram& program = *core_.program();
  const SourceType& type = program.types.At(value.type);
  Json json = TypeJson(value.type);
  json["value"] = FormatValue(program, value, format);
  const bool is_text = format.letter == 's' && type.kind == SourceKind::kPointer &&
                       program.types.At(type.element).bytes == 1 && !value.IsUndefined();
  if (is_text) {
    if (const auto text = TextAt(scope, value.Bits())) {
      json["value"] = fmt::format("{:#x} {}", value.Bits(), FormatValue(program, *text, format));
    }
  }
  // What stands for the value later on, when its variables have others.
  if (Json parts = Parts(value); !parts.is_null()) {
    const bool is_vector = type.kind == SourceKind::kVector;
    const SourceType& component = is_vector ? program.types.At(type.element) : type;
    std::string all;
    for (const Json& bits : parts.at("components")) {
      all += (all.empty() ? "" : ", ") + Again(component, bits.get<std::uint64_t>());
    }
    if (is_vector) all = fmt::format("(({})({}))", type.name, all);
    if (component.kind != SourceKind::kEnum) json["again"] = std::move(all);
    json["parts"] = std::move(parts);
  }
  if (value.place == DebugValue::Place::kMemory) {
    json["address"] = value.address;
    json["object"] = DebugMemory(program).DescribeAddress(value.address);
    const auto regions = scope.item.worker->regions();
    const std::uint64_t place = value.address >> program.launch.memory->layout().place_bits;
    if (place < regions.size()) {
      json["space"] = AddressSpaceName(regions[place].space);
      json["group"] = scope.item.group;
      json["local"] = scope.item.local;
      if (const auto site = SiteOf(scope, regions[place])) json["site"] = *site;
    }
  }
  return json;
}

Json DebugServer::TypeJson(TypeRef ref) const {
  const frontend::SourceTypes& types = core_.program()->types;
  const SourceType& type = types.At(ref);
  Json json{{"type", type.name}, {"size", type.bytes}};
  Json members = Json::array();
  for (const frontend::SourceMember& member : type.members) {
    members.push_back(
        {{"name", member.name}, {"type", types.At(member.type).name}, {"offset", member.offset}});
  }
  if (!members.empty()) json["members"] = std::move(members);
  Json enumerators = Json::array();
  for (const auto& [number, name] : type.enumerators) {
    enumerators.push_back({{"name", name}, {"value", number}});
  }
  if (!enumerators.empty()) json["enumerators"] = std::move(enumerators);
  return json;
}

// With "type" a type may stand for a value: only the answer's type means something then.
Expected<Json> DebugServer::Evaluate(const Json& request) {
  const std::string text = request.at("expression");
  if (request.value("type", false)) {
    const auto type = ParseDebugType(text, &core_.program()->types);
    if (type) return TypeJson(*type);
  }
  const auto scope = ScopeOfRequest(request);
  if (!scope) return tl::unexpected(scope.error());
  const auto parsed = ParseDebugExpression(text, &core_.program()->types);
  if (!parsed) return tl::unexpected(parsed.error());
  const bool assigns = Assigns(*parsed);
  if (assigns != request.value("assign", false)) {
    return Fail(ErrorKind::kUsage, assigns ? "an assignment changes the run: use `set var`"
                                           : "write VARIABLE = VALUE");
  }
  DebugEvaluator evaluator(*scope);
  const auto value = evaluator.Evaluate(*parsed);
  if (!value) return tl::unexpected(value.error());
  Json json = ValueJson(*scope, *value, FormatOf(request));
  json["children"] = Children(*value, text);
  json["item"] = {scope->item.group, scope->item.local};
  json["frame"] = {{"site", scope->frame.site},
                   {"function", scope->frame.function},
                   {"inlined_at", scope->frame.location.inlined_at}};
  json["is_constant"] = IsConstant(*parsed);
  if (!evaluator.warnings().empty()) json["warnings"] = evaluator.warnings();
  return json;
}

// gdb's x: `count` elements of `size` bytes from an address on.
Expected<Json> DebugServer::Examine(const Json& request) {
  const auto scope = ScopeOfRequest(request);
  if (!scope) return tl::unexpected(scope.error());
  DebugProgram& program = *core_.program();
  const auto parsed = ParseDebugExpression(request.at("expression"), &program.types);
  if (!parsed) return tl::unexpected(parsed.error());
  const auto start = DebugEvaluator(*scope).Evaluate(*parsed);
  if (!start) return tl::unexpected(start.error());
  if (start->IsMissing()) return Fail(ErrorKind::kUsage, "some of it is optimized out");
  const SourceType& type = program.types.At(start->type);
  const bool is_place =
      type.kind == SourceKind::kArray && start->place == DebugValue::Place::kMemory;
  if (type.kind != SourceKind::kPointer && !type.IsInteger() && !is_place) {
    return Fail(ErrorKind::kUsage, fmt::format("a {} is no address; write &{}", type.name,
                                               request.at("expression").get<std::string>()));
  }
  const Address address = is_place ? start->address : start->Bits();
  DebugFormat format = FormatOf(request);
  // What the format or the pointer says, where the size was not asked for.
  std::uint32_t size = request.at("size");
  if (size == 0 && format.letter == 'c') size = 1;
  if (format.letter == 's') {
    return ExamineText(*scope, address,
                       std::min(request.at("count").get<std::uint64_t>(), kMostExamined));
  }
  if (size == 0 && format.letter == 'f') {
    const SourceType& target = program.types.At(type.element);
    if (target.kind == SourceKind::kFloat) size = static_cast<std::uint32_t>(target.bytes);
  }
  if (size == 0) size = 4;
  const std::uint64_t count = request.at("count");
  if (count > kMostExamined) {
    return Fail(ErrorKind::kUsage, fmt::format("x shows at most {} at once", kMostExamined));
  }
  const SourceKind kind = format.letter == 'f'                           ? SourceKind::kFloat
                          : format.letter == 'd' || format.letter == 'c' ? SourceKind::kSigned
                                                                         : SourceKind::kUnsigned;
  if (kind == SourceKind::kFloat && size == 1) {
    return Fail(ErrorKind::kUsage, "no floating-point number has one byte");
  }
  const TypeRef element = program.types.Scalar(kind, size * 8);
  if (format.letter == 'f') format.letter = 0;
  const DebugMemory memory(program);
  Json rows = Json::array();
  const std::uint64_t in_row = std::max<std::uint64_t>(16 / size, 1);
  bool is_readable = true;
  for (std::uint64_t i = 0; i < count && is_readable; i += in_row) {
    Json values = Json::array();
    for (std::uint64_t j = i; j < std::min(count, i + in_row); ++j) {
      auto value = memory.Load(scope->item, address + j * size, element);
      if (!value) {
        if (rows.empty() && values.empty()) return tl::unexpected(value.error());
        values.push_back("<" + value.error().message + ">");
        is_readable = false;
        break;
      }
      value->why_undefined.clear();
      std::string text = FormatValue(program, *value, format);
      // Bits beside each number would fill the row.
      if (const std::size_t bits = text.find(" ("); bits != std::string::npos) text.resize(bits);
      values.push_back(std::move(text));
    }
    const Address row = address + i * size;
    rows.push_back(
        {{"address", row}, {"object", memory.DescribeAddress(row)}, {"values", std::move(values)}});
  }
  return Json{{"rows", std::move(rows)}};
}

// The text of bytes that end with zero, at an address; the array of them, with the zero.
Expected<DebugValue> DebugServer::TextAt(const DebugScope& scope, Address address) const {
  constexpr std::uint64_t kLongest = 200;
  DebugProgram& program = *core_.program();
  const DebugMemory memory(program);
  std::uint64_t length = 0;
  for (bool goes_on = true; goes_on && length < kLongest; ++length) {
    const auto host = memory.Host(scope.item, address + length, 1);
    if (!host && length == 0) return tl::unexpected(host.error());
    if (!host) break;
    goes_on = **host != std::byte{0};
  }
  const TypeRef byte = program.types.Scalar(SourceKind::kUnsigned, 8);
  return memory.Load(scope.item, address, program.types.ArrayOf(byte, length));
}

// Texts of bytes that end with zero, one behind the other.
Expected<Json> DebugServer::ExamineText(const DebugScope& scope, Address address,
                                        std::uint64_t count) const {
  DebugProgram& program = *core_.program();
  Json rows = Json::array();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto text = TextAt(scope, address);
    if (!text && rows.empty()) return tl::unexpected(text.error());
    if (!text) break;
    rows.push_back({{"address", address},
                    {"object", DebugMemory(program).DescribeAddress(address)},
                    {"values", {FormatValue(program, *text, {.letter = 's'})}}});
    address += text->bytes.size();
  }
  return Json{{"rows", std::move(rows)}};
}

// Bytes as hexadecimal digits, as far as the object reaches; beside them which bits are undefined.
Expected<Json> DebugServer::ReadMemory(const Json& request) {
  const auto item = ItemOf(request);
  if (!item) return tl::unexpected(item.error());
  const Address address = request.at("address");
  std::uint64_t count = std::min(request.at("bytes").get<std::uint64_t>(), kMostMemory);
  const DebugMemory memory(*core_.program());
  auto host = memory.Host(*item, address, count);
  if (!host) {
    // What is left of the object.
    const Region* region = item->batch == nullptr ? nullptr : item->batch->FindRegion(address);
    const bool is_inside = region != nullptr && region->address != 0 &&
                           address >= region->address && address - region->address < region->bytes;
    if (!is_inside) return tl::unexpected(host.error());
    count = std::min(count, region->bytes - (address - region->address));
    host = memory.Host(*item, address, count);
    if (!host) return tl::unexpected(host.error());
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned>((*host)[i]);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return Json{{"hex", std::move(hex)}};
}

Expected<Json> DebugServer::WriteMemory(const Json& request) {
  const auto item = ItemOf(request);
  if (!item) return tl::unexpected(item.error());
  const std::string hex = request.at("hex");
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  const auto stored = DebugMemory(*core_.program()).Store(*item, request.at("address"), bytes);
  if (!stored) return tl::unexpected(stored.error());
  return Json{{"bytes", bytes.size()}};
}

}  // namespace assay::interp
