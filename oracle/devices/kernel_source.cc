#include "oracle/devices/kernel_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::oracle {
namespace {

using numerics::Operation;
using numerics::OperationKind;
using numerics::ScalarType;
using numerics::Slot;

constexpr const char* kOperandNames[] = {"x", "y", "z"};

std::string WidthSuffix(int width) { return width == 1 ? "" : fmt::format("{}", width); }

std::string Load(const Slot& slot, int width, std::string_view pointer) {
  const int n = SlotWidth(slot, width);
  return n == 1 ? fmt::format("{}[i]", pointer) : fmt::format("vload{}(i, {})", n, pointer);
}

std::string Store(const Slot& slot, int width, std::string_view value, std::string_view pointer) {
  const int n = SlotWidth(slot, width);
  return n == 1 ? fmt::format("{}[i] = {};", pointer, value)
                : fmt::format("vstore{}({}, i, {});", n, value, pointer);
}

std::string RoundingSuffix(const Operation& operation) {
  return operation.suffix ? fmt::format("_{}", RoundingName(*operation.suffix)) : "";
}

// In 1 / x the one is the gentype's: an int operand would need a conversion of its own.
std::string TypedConstants(std::string_view expression, const std::string& type) {
  std::string text(expression);
  const std::size_t place = text.find("1 / ");
  if (place != std::string::npos) text.replace(place, 1, fmt::format("({})(1)", type));
  return text;
}

std::string BuiltinCall(const Operation& operation, int width) {
  const numerics::FunctionInfo& info = numerics::Info(operation.function);
  const std::string type = VectorType(numerics::ScalarTypeOf(operation.format), width);
  if (!info.expression.empty()) return TypedConstants(info.expression, type);
  std::string arguments;
  for (int k = 0; k < info.Arity(); ++k) {
    fmt::format_to(std::back_inserter(arguments), "{}{}", k == 0 ? "" : ", ", kOperandNames[k]);
  }
  if (info.results.size() > 1) arguments += ", &s";
  return fmt::format("{}({})", info.name, arguments);
}

// vload_half and vstore_half read and write memory themselves.
std::string HalfMemoryBody(const Operation& operation, int width) {
  const std::string n = WidthSuffix(width);
  if (operation.kind == OperationKind::kVloadHalf) {
    const Slot out = operation.Outputs()[0];
    return fmt::format("{} r = {};\n      {}", VectorType(out.type, width),
                       CallText(operation, width), Store(out, width, "r", "r0"));
  }
  const Slot in = operation.Inputs()[0];
  return fmt::format("{} x = {};\n      {};", VectorType(in.type, width), Load(in, width, "x0"),
                     CallText(operation, width));
}

// The statements for one width over the pointers x0, x1, ... and r0, r1 and the index i.
std::string Body(const Operation& operation, int width) {
  if (operation.kind == OperationKind::kVloadHalf || operation.kind == OperationKind::kVstoreHalf) {
    return HalfMemoryBody(operation, width);
  }
  const std::vector<Slot> inputs = operation.Inputs();
  const std::vector<Slot> outputs = operation.Outputs();
  std::string text;
  auto line = [&text](const std::string& statement) {
    text += (text.empty() ? "" : "\n      ") + statement;
  };
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    line(fmt::format("{} {} = {};", VectorType(inputs[k].type, SlotWidth(inputs[k], width)),
                     kOperandNames[k], Load(inputs[k], width, fmt::format("x{}", k))));
  }
  if (outputs.size() > 1) {
    line(fmt::format("{} s;", VectorType(outputs[1].type, SlotWidth(outputs[1], width))));
  }
  line(fmt::format("{} r = {};", VectorType(outputs[0].type, SlotWidth(outputs[0], width)),
                   CallText(operation, width)));
  line(Store(outputs[0], width, "r", "r0"));
  if (outputs.size() > 1) line(Store(outputs[1], width, "s", "r1"));
  return text;
}

std::string Parameters(const Operation& operation) {
  std::string text;
  int k = 0;
  for (const Slot& slot : operation.Inputs()) {
    fmt::format_to(std::back_inserter(text), "{}global const {}* x{}", text.empty() ? "" : ", ",
                   ScalarTypeName(slot.type), k++);
  }
  k = 0;
  for (const Slot& slot : operation.Outputs()) {
    fmt::format_to(std::back_inserter(text), ", global {}* r{}", ScalarTypeName(slot.type), k++);
  }
  return text;
}

}  // namespace

int SlotWidth(const Slot& slot, int width) { return slot.components > 1 ? slot.components : width; }

std::string VectorType(ScalarType type, int width) {
  return fmt::format("{}{}", ScalarTypeName(type), WidthSuffix(width));
}

std::string CallText(const Operation& operation, int width) {
  const std::string n = WidthSuffix(width);
  switch (operation.kind) {
    case OperationKind::kBuiltin:
      return BuiltinCall(operation, operation.components > 1 ? operation.components : width);
    case OperationKind::kConvert:
      return fmt::format("convert_{}{}{}(x)", VectorType(operation.to, width),
                         operation.saturate ? "_sat" : "", RoundingSuffix(operation));
    case OperationKind::kVloadHalf:
      return fmt::format("vload_half{}(i, x0)", n);
    case OperationKind::kVstoreHalf:
      return fmt::format("vstore_half{}{}(x, i, r0)", n, RoundingSuffix(operation));
  }
  return "";
}

std::string KernelName(const Operation& operation, KernelScheme scheme, int width) {
  // The prefix keeps a kernel's name from being the built-in's own.
  std::string name = fmt::format("assay_{}_{}", operation.Name(), operation.FormatName());
  if (scheme == KernelScheme::kSeparate) fmt::format_to(std::back_inserter(name), "_w{}", width);
  return name;
}

int SwitchValue(std::size_t index, int width) { return static_cast<int>(index) * 32 + width; }

std::string KernelSource(const KernelFamily& family, std::span<const int> widths,
                         KernelScheme scheme) {
  std::string text;
  auto out = std::back_inserter(text);
  if (scheme == KernelScheme::kSwitched) {
    fmt::format_to(out,
                   "kernel void {}(int which, uint first, {}) {{\n"
                   "  size_t i = first + get_global_id(0);\n"
                   "  switch (which) {{\n",
                   KernelName(family[0], scheme, 0), Parameters(family[0]));
    for (std::size_t k = 0; k < family.size(); ++k) {
      for (int width : widths) {
        fmt::format_to(out, "    case {}: {{\n      {}\n      break;\n    }}\n",
                       SwitchValue(k, width), Body(family[k], width));
      }
    }
    return text + "  }\n}\n";
  }
  for (const Operation& operation : family) {
    for (int width : widths) {
      fmt::format_to(out,
                     "kernel void {}(uint first, {}) {{\n"
                     "      size_t i = first + get_global_id(0);\n      {}\n}}\n",
                     KernelName(operation, scheme, width), Parameters(operation),
                     Body(operation, width));
    }
  }
  return text;
}

std::string ProgramSource(std::span<const KernelFamily> families, std::span<const int> widths,
                          KernelScheme scheme) {
  auto any_computes_with = [families](ScalarType type) {
    return std::any_of(families.begin(), families.end(), [type](const KernelFamily& family) {
      return std::any_of(family.begin(), family.end(), [type](const Operation& operation) {
        return ComputesWith(operation, type);
      });
    });
  };
  std::string text;
  if (any_computes_with(ScalarType::kDouble)) {
    text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  }
  if (any_computes_with(ScalarType::kHalf)) {
    text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  }
  for (const KernelFamily& family : families) text += KernelSource(family, widths, scheme);
  return text;
}

bool ComputesWith(const Operation& operation, ScalarType type) {
  auto uses = [type](const std::vector<Slot>& slots) {
    return std::any_of(slots.begin(), slots.end(),
                       [type](const Slot& slot) { return slot.type == type; });
  };
  const bool reads = operation.kind != OperationKind::kVloadHalf && uses(operation.Inputs());
  const bool writes = operation.kind != OperationKind::kVstoreHalf && uses(operation.Outputs());
  return reads || writes;
}

}  // namespace assay::oracle
