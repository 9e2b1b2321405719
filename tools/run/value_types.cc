#include "tools/run/value_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::tools {

std::string ValueTypeOf(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return "";
  const auto type = interp::ParseElementType(argument.substr(0, equals));
  return type ? type->name : "";  // a buffer, an image
}

Expected<void> CheckValueTypes(const interp::JobLaunch& launch, const interp::KernelInfo& kernel) {
  if (launch.value_types.size() != kernel.parameters.size()) return {};  // the launch says so
  for (std::size_t i = 0; i < launch.value_types.size(); ++i) {
    const interp::ParameterInfo& parameter = kernel.parameters[i];
    if (parameter.kind != interp::ParameterKind::kValue || launch.value_types[i].empty()) continue;
    const auto given = interp::ParseElementType(launch.value_types[i]);
    const auto wanted = interp::ParseElementType(parameter.type);
    if (!given || !wanted) continue;              // a structure
    if (given->bytes != wanted->bytes) continue;  // the launch says so
    const bool is_same = numerics::IsFloating(interp::ScalarOf(*given)) ==
                             numerics::IsFloating(interp::ScalarOf(*wanted)) &&
                         given->components == wanted->components;
    if (is_same) continue;
    return Fail(ErrorKind::kUsage,
                fmt::format("argument {} is a number of type {}, and kernel {} takes {}{}{} there; "
                            "bytes(HEX), in a job {{\"bytes\": \"HEX\"}}, gives any bytes",
                            i, given->name, kernel.name, parameter.type,
                            parameter.name.empty() ? "" : " ", parameter.name));
  }
  return {};
}

bool IsNullPointer(const interp::Argument& argument, interp::ParameterKind kind) {
  const auto* bytes = std::get_if<interp::BytesArgument>(&argument);
  return bytes != nullptr && bytes->bytes.size() == sizeof(std::uint64_t) &&
         (kind == interp::ParameterKind::kGlobal || kind == interp::ParameterKind::kConstant) &&
         std::ranges::all_of(bytes->bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace assay::tools
