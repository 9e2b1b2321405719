#include "tools/bisect/c_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>

namespace assay::tools {

using frontend::Id;
using frontend::Op;
using frontend::StorageClass;
using frontend::Type;
using frontend::TypeKind;

namespace {

std::string IntegerName(std::uint32_t width, bool is_signed) {
  const char* name = width == 8    ? "char"
                     : width == 16 ? "short"
                     : width == 32 ? "int"
                     : width == 64 ? "long"
                                   : nullptr;
  if (name == nullptr) return "";
  return fmt::format("{}{}", is_signed ? "" : "u", name);
}

std::string Counted(const std::string& name, std::uint64_t count) {
  return count == 1 ? name : fmt::format("{}{}", name, count);
}

const char* SpaceName(StorageClass storage) {
  switch (storage) {
    case StorageClass::kCrossWorkgroup:
      return "global ";
    case StorageClass::kWorkgroup:
      return "local ";
    case StorageClass::kUniformConstant:
      return "constant ";
    case StorageClass::kGeneric:
      return "";
    default:
      return "private ";
  }
}

}  // namespace

const Type& CTypes::Type(Id id) const {
  static const frontend::Type kNoType;
  const frontend::Type* type = module_.types.Find(id);
  return type == nullptr ? kNoType : *type;
}

std::uint32_t CTypes::Components(Id id) const {
  const frontend::Type& type = Type(id);
  return type.kind == TypeKind::kVector ? static_cast<std::uint32_t>(type.count) : 1;
}
bool CTypes::IsVector(Id id) const { return Type(id).kind == TypeKind::kVector; }
bool CTypes::IsPointer(Id id) const { return Type(id).kind == TypeKind::kPointer; }
bool CTypes::IsFloats(Id id) const {
  return (IsVector(id) ? Type(Type(id).element) : Type(id)).kind == TypeKind::kFloat;
}
bool CTypes::IsBools(Id id) const {
  return (IsVector(id) ? Type(Type(id).element) : Type(id)).kind == TypeKind::kBool;
}

std::string CTypes::Component(Id id) const {
  const frontend::Type& type = IsVector(id) ? Type(Type(id).element) : Type(id);
  if (type.kind == TypeKind::kBool) return IsVector(id) ? "char" : "bool";
  if (type.kind == TypeKind::kInteger) return IntegerName(type.width, false);
  if (type.kind != TypeKind::kFloat || type.encoding != frontend::FloatEncoding::kIeee) return "";
  return type.width == 16 ? "half" : type.width == 32 ? "float" : "double";
}

std::string CTypes::IntegersOf(Id id, bool is_signed) const {
  const frontend::Type& type = IsVector(id) ? Type(Type(id).element) : Type(id);
  const std::uint32_t width = type.kind == TypeKind::kBool ? 8 : type.width;
  return Counted(IntegerName(width, is_signed), Components(id));
}

std::string CTypes::Name(Id id) {
  const frontend::Type& type = Type(id);
  switch (type.kind) {
    case TypeKind::kVoid:
      return "void";
    case TypeKind::kBool:
    case TypeKind::kInteger:
    case TypeKind::kFloat:
    case TypeKind::kVector: {
      const std::string component = Component(id);
      if (component.empty())
        Fail("a type that OpenCL C does not have: " + module_.types.Describe(id));
      uses_doubles_ |= component == "double";
      uses_halfs_ |= component == "half";
      return Counted(component, Components(id));
    }
    case TypeKind::kArray:
    case TypeKind::kStruct:
      return Structure(type);
    case TypeKind::kPointer:
      return SpaceName(type.storage_class) + Name(type.element) + "*";
    case TypeKind::kFunction:
    case TypeKind::kOpaque:
      break;
  }
  if (type.opcode == Op::kTypeEvent) return "event_t";
  Fail(type.opcode == Op::kTypeImage || type.opcode == Op::kTypeSampledImage ? "images"
       : type.opcode == Op::kTypeSampler                                     ? "samplers"
       : type.opcode == Op::kTypePipe                                        ? "pipes"
                                      : "a value of the type " + module_.types.Describe(id));
  return "int";
}

std::string CTypes::Structure(const frontend::Type& type) {
  const std::string name = fmt::format("{}{}", type.kind == TypeKind::kArray ? "A" : "S", type.id);
  if (!defined_.insert(type.id).second) return name;
  std::string members;
  if (type.kind == TypeKind::kArray) {
    members = fmt::format("{} a[{}]; ", Name(type.element), type.count);
  } else {
    const auto ids = module_.types.Members(type);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      members += fmt::format("{} m{}; ", Name(ids[i]), i);
    }
  }
  structures_ += fmt::format("typedef struct {}{{ {}}} {};\n",
                             type.packed ? "__attribute__((packed)) " : "", members, name);
  return name;
}

StorageClass CTypes::ClassOf(Id pointer) const {
  const StorageClass own = TypeOfValue(pointer).storage_class;
  const frontend::Instruction* made = module_.Definition(pointer);
  if (own != StorageClass::kGeneric || made == nullptr) return own;
  switch (made->opcode) {
    case Op::kPtrCastToGeneric:
    case Op::kAccessChain:
    case Op::kInBoundsAccessChain:
    case Op::kPtrAccessChain:
    case Op::kInBoundsPtrAccessChain:
    case Op::kBitcast:
    case Op::kCopyObject:
      return IsPointer(module_.TypeOf(module_.Operands(*made)[0]))
                 ? ClassOf(module_.Operands(*made)[0])
                 : own;
    default:
      return own;
  }
}

std::string CTypes::Space(Id pointer) const { return SpaceName(ClassOf(pointer)); }

std::string CTypes::NameOfValue(Id value) {
  const Id type = module_.TypeOf(value);
  if (!IsPointer(type)) return Name(type);
  return Space(value) + Name(Type(type).element) + "*";
}

std::string CTypes::ScalarConstant(const frontend::Type& type, std::uint64_t bits) {
  if (type.kind == TypeKind::kBool) return bits != 0 ? "true" : "false";
  if (type.kind == TypeKind::kFloat) {
    if (type.width == 16) return fmt::format("as_half((ushort){:#x})", bits);
    if (type.width == 32) {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      const bool is_plain = value == 0 || std::isnormal(value);
      if (is_plain && bits != 0x80000000) return fmt::format("{:#}f", value);
      return fmt::format("as_float({:#x}u)", bits);
    }
    uses_doubles_ = true;
    const double value = std::bit_cast<double>(bits);
    if (std::isnormal(value) || bits == 0) return fmt::format("{:#}", value);
    return fmt::format("as_double({:#x}ul)", bits);
  }
  if (type.kind == TypeKind::kOpaque) return "0";  // of events
  if (type.kind == TypeKind::kPointer) return fmt::format("({})0", Name(type.id));
  switch (type.width) {
    case 8:
    case 16:
      return fmt::format("({}){}", IntegerName(type.width, false), bits);
    case 32:
      return fmt::format("{}u", bits);
    default:
      return fmt::format("{}ul", bits);
  }
}

// A place in a variable of the program.
std::string CTypes::Expression(const frontend::Constant& constant) {
  const auto words = module_.constants.Words(constant);
  const auto pointer = [&](Id id) {
    return module_.FindGlobal(id) != nullptr ? fmt::format("(&g{})", id) : Constant(id);
  };
  const bool has_element = constant.operation == Op::kPtrAccessChain ||
                           constant.operation == Op::kInBoundsPtrAccessChain;
  const bool is_chain = has_element || constant.operation == Op::kAccessChain ||
                        constant.operation == Op::kInBoundsAccessChain;
  if (constant.operation == Op::kBitcast || constant.operation == Op::kPtrCastToGeneric) {
    return fmt::format("({}){}", Name(constant.type), pointer(words[0]));
  }
  if (!is_chain) {
    Fail("a constant that has no text: " + module_.Describe(constant.id));
    return "0";
  }
  std::string text = "(*" + pointer(words[0]) + ")";
  if (has_element) {
    text =
        fmt::format("{}[{}]", pointer(words[0]), module_.constants.Integer(words[1]).value_or(0));
  }
  Id type = TypeOfValue(words[0]).element;
  for (const Id id : words.subspan(has_element ? 2 : 1)) {
    const frontend::Type& of = Type(type);
    const std::uint64_t index = module_.constants.Integer(id).value_or(0);
    const bool is_struct = of.kind == TypeKind::kStruct;
    text += is_struct ? fmt::format(".m{}", index) : fmt::format(".a[{}]", index);
    type = is_struct ? module_.types.Members(of)[index] : of.element;
  }
  return fmt::format("(({})&{})", Name(constant.type), text);
}

std::string CTypes::ConstantText(const frontend::Constant& constant) {
  const frontend::Type& type = Type(constant.type);
  const bool is_vector = type.kind == TypeKind::kVector;
  if (constant.kind == frontend::ConstantKind::kScalar) return ScalarConstant(type, constant.bits);
  if (constant.kind == frontend::ConstantKind::kComposite) {
    std::vector<std::string> parts;
    for (std::uint32_t i = 0; i < constant.part_count; ++i) {
      const frontend::Constant& part = module_.constants.Part(constant, i);
      const bool is_bool = is_vector && Type(part.type).kind == TypeKind::kBool;
      parts.push_back(is_bool ? (part.bits != 0 ? "-1" : "0") : ConstantText(part));
    }
    const std::string list = fmt::format("{}", fmt::join(parts, ", "));
    if (is_vector) return fmt::format("({})({})", Name(type.id), list);
    return type.kind == TypeKind::kArray ? "{{" + list + "}}" : "{" + list + "}";
  }
  if (constant.kind == frontend::ConstantKind::kAddress && constant.variable != 0) {
    return fmt::format("(&g{})", constant.variable);
  }
  if (constant.kind == frontend::ConstantKind::kExpression) return Expression(constant);
  if (constant.kind != frontend::ConstantKind::kNull &&
      constant.kind != frontend::ConstantKind::kUndefined) {
    Fail("a constant that has no text: " + module_.Describe(constant.id));
  }
  if (type.kind == TypeKind::kArray || type.kind == TypeKind::kStruct) return "{0}";
  if (is_vector) return fmt::format("({})(0)", Name(type.id));
  return ScalarConstant(type, 0);
}

std::string CTypes::Constant(Id id) {
  const frontend::Constant* constant = module_.constants.Find(id);
  if (constant == nullptr) return "0";
  Name(constant->type);
  return ConstantText(*constant);
}

std::string CTypes::Literal(Id id, std::span<const std::uint64_t> bits) {
  const std::string name = Name(id);
  if (!IsVector(id)) return ScalarConstant(Type(id), bits.empty() ? 0 : bits[0]);
  std::vector<std::string> parts;
  for (const std::uint64_t one : bits) {
    parts.push_back(IsBools(id) ? (one != 0 ? "-1" : "0")
                                : ScalarConstant(Type(Type(id).element), one));
  }
  return fmt::format("({})({})", name, fmt::join(parts, ", "));
}

std::string CTypes::Definitions() const {
  std::string text;
  if (uses_doubles_) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  if (uses_halfs_) text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  return text + structures_;
}

}  // namespace assay::tools
