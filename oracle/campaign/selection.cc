#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "numerics/function.h"
#include "numerics/near_names.h"
#include "oracle/campaign/campaign.h"

namespace assay::oracle {
namespace {

using numerics::FunctionClass;
using numerics::FunctionInfo;
using numerics::Operation;

struct Group {
  OperationGroup shown;
  bool (*contains)(const FunctionInfo&);  // nullptr: not a group of built-ins
  bool conversions = false;
  bool half_memory = false;
};

bool All(const FunctionInfo&) { return true; }
bool None(const FunctionInfo&) { return false; }
template <FunctionClass kClass>
bool OfClass(const FunctionInfo& info) {
  return info.cls == kClass;
}
template <int kArity>
bool OfArity(const FunctionInfo& info) {
  return info.Arity() == kArity && !info.IsGeometric();
}

constexpr std::array kGroups = {
    Group{{"@all", "every built-in, vload_half and vstore_half"}, All, false, true},
    Group{{"@operators", "+ - * / 1/x x*y+z"}, OfClass<FunctionClass::kOperator>},
    Group{{"@math", "the math functions"}, OfClass<FunctionClass::kMath>},
    Group{{"@half", "half_sin and the like"}, OfClass<FunctionClass::kHalf>},
    Group{{"@native", "native_sin and the like"}, OfClass<FunctionClass::kNative>},
    Group{{"@common", "clamp, mix, step, ..."}, OfClass<FunctionClass::kCommon>},
    Group{{"@geometric", "dot, length, ... at every number of components"},
          OfClass<FunctionClass::kGeometric>},
    Group{{"@unary", "built-ins of one operand"}, OfArity<1>},
    Group{{"@binary", "built-ins of two operands"}, OfArity<2>},
    Group{{"@ternary", "built-ins of three operands"}, OfArity<3>},
    Group{{"@conversions", "convert_T with every rounding and _sat, vload_half, vstore_half"},
          None,
          true,
          true},
    Group{{"@everything", "@all and @conversions"}, All, true, true},
};

constexpr auto kShownGroups = [] {
  std::array<OperationGroup, kGroups.size()> shown{};
  for (std::size_t i = 0; i < kGroups.size(); ++i) shown[i] = kGroups[i].shown;
  return shown;
}();

bool Contains(const std::vector<std::string>& formats, std::string_view name) {
  return std::find(formats.begin(), formats.end(), name) != formats.end();
}

// Formats limit conversions on both sides: with "float" alone, no double takes part.
bool TypeAllowed(const std::vector<std::string>& formats, numerics::ScalarType type) {
  return !numerics::IsFloating(type) || Contains(formats, numerics::ScalarTypeName(type));
}

void AppendBuiltin(const FunctionInfo& info, const std::vector<std::string>& formats,
                   std::vector<Operation>* operations) {
  for (numerics::Format format : numerics::kAllFormats) {
    if (!info.Supports(format) || !Contains(formats, numerics::Traits(format).name)) continue;
    const int least = info.function == numerics::Function::cross ? 3 : 1;
    const int most = info.IsGeometric() ? 4 : 1;
    for (int n = info.IsGeometric() ? least : 1; n <= most; ++n) {
      operations->push_back(Operation::Builtin(info.function, format, n));
    }
  }
}

void AppendConversions(const std::vector<std::string>& formats, bool conversions, bool half_memory,
                       std::vector<Operation>* operations) {
  for (const Operation& operation : numerics::AllConversions()) {
    const bool memory = operation.kind != numerics::OperationKind::kConvert;
    if (memory ? !half_memory : !conversions) continue;
    // Half in memory is a core feature: vload_half and vstore_half need no half arithmetic.
    const bool from = (memory && operation.from == numerics::ScalarType::kHalf) ||
                      TypeAllowed(formats, operation.from);
    const bool to = (memory && operation.to == numerics::ScalarType::kHalf) ||
                    TypeAllowed(formats, operation.to);
    if (from && to) operations->push_back(operation);
  }
}

Expected<void> AppendGroup(std::string_view name, const std::vector<std::string>& formats,
                           std::vector<Operation>* operations) {
  for (const Group& group : kGroups) {
    if (group.shown.name != name) continue;
    for (const FunctionInfo& info : numerics::AllFunctions()) {
      if (group.contains(info)) AppendBuiltin(info, formats, operations);
    }
    AppendConversions(formats, group.conversions, group.half_memory, operations);
    return {};
  }
  std::vector<std::string> names;
  for (const Group& group : kGroups) names.emplace_back(group.shown.name);
  return Fail(ErrorKind::kUsage,
              fmt::format("unknown group '{}': {}the groups are {}", name,
                          numerics::DidYouMean(name, names), fmt::join(names, ", ")));
}

// A name alone: at every asked format that it exists for.  A conversion's format is its source type
// where the formats were chosen; else it may not touch a floating-point type beyond them.
Expected<void> AppendNamed(const std::string& name, const std::vector<std::string>& formats,
                           bool chosen, std::vector<Operation>* operations) {
  const std::size_t before = operations->size();
  if (const auto function = numerics::FunctionFromName(name)) {
    AppendBuiltin(numerics::Info(*function), formats, operations);
  } else {
    for (const Operation& operation : numerics::AllConversions()) {
      const bool memory = operation.kind != numerics::OperationKind::kConvert;
      if (operation.Name() != name) continue;
      const bool allowed =
          memory || (TypeAllowed(formats, operation.from) && TypeAllowed(formats, operation.to));
      if (chosen ? Contains(formats, operation.FormatName()) : allowed) {
        operations->push_back(operation);
      }
    }
  }
  if (operations->size() > before) return {};
  // Nothing matched: let the name's own message explain, unless only the format is at fault.
  for (const std::string& format : formats) {
    Expected<Operation> operation = numerics::OperationFromName(name, format);
    if (!operation) return tl::unexpected<Error>(operation.error());
    operations->push_back(*operation);
  }
  return {};
}

}  // namespace

std::span<const OperationGroup> OperationGroups() { return kShownGroups; }

Expected<std::vector<Operation>> SelectOperations(const std::vector<std::string>& names,
                                                  const std::vector<std::string>& formats,
                                                  bool chosen) {
  std::vector<std::string> scalar_formats;
  for (const std::string& format : formats) {
    const bool vector = !format.empty() && format.back() >= '2' && format.back() <= '4';
    const std::string scalar = vector ? format.substr(0, format.size() - 1) : format;
    if (!numerics::ScalarTypeFromName(scalar)) {
      return Fail(ErrorKind::kUsage, fmt::format("unknown format '{}': {}use half, float or double",
                                                 format, numerics::DidYouMeanFormat(format)));
    }
    scalar_formats.push_back(format);
  }
  std::vector<Operation> operations;
  for (const std::string& name : names) {
    Expected<void> added = name.starts_with("@")
                               ? AppendGroup(name, scalar_formats, &operations)
                               : AppendNamed(name, scalar_formats, chosen, &operations);
    if (!added) return tl::unexpected<Error>(added.error());
  }
  // A function named twice (by name and by group) is validated once.
  std::vector<Operation> unique;
  for (const Operation& operation : operations) {
    if (std::find(unique.begin(), unique.end(), operation) == unique.end()) {
      unique.push_back(operation);
    }
  }
  return unique;
}

Expected<Operation> SelectByOperands(const std::vector<Operation>& operations,
                                     std::size_t operands) {
  if (operations.size() == 1) return operations[0];
  std::vector<Operation> fitting;
  std::copy_if(operations.begin(), operations.end(), std::back_inserter(fitting),
               [&](const Operation& operation) {
                 return static_cast<std::size_t>(operation.ArgumentCount()) == operands;
               });
  if (fitting.size() == 1) return fitting[0];
  return Fail(ErrorKind::kUsage,
              fmt::format("needs exactly one function and format, choose it with --functions and "
                          "--formats; {} of the {} selected take {} operand{}",
                          fitting.size(), operations.size(), operands, operands == 1 ? "" : "s"));
}

}  // namespace assay::oracle
