#include "tools/run/value_types.h"

#include <fmt/format.h>

#include "interp/job/job.h"

namespace assay::tools {

Expected<void> CheckValueTypes(std::span<const std::string> arguments,
                               const interp::KernelInfo& kernel) {
  if (arguments.size() != kernel.parameters.size()) return {};  // the launch says so
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const interp::ParameterInfo& parameter = kernel.parameters[i];
    const std::size_t equals = arguments[i].find('=');
    if (parameter.kind != interp::ParameterKind::kValue || equals == std::string::npos) continue;
    const auto given = interp::ParseElementType(std::string_view(arguments[i]).substr(0, equals));
    const auto wanted = interp::ParseElementType(parameter.type);
    if (!given || !wanted) continue;              // a buffer, an image, bytes, a structure
    if (given->bytes != wanted->bytes) continue;  // the launch says so
    const bool is_same = numerics::IsFloating(interp::ScalarOf(*given)) ==
                             numerics::IsFloating(interp::ScalarOf(*wanted)) &&
                         given->components == wanted->components;
    if (is_same) continue;
    return Fail(ErrorKind::kUsage,
                fmt::format("argument {} is '{}', and kernel {} takes {}{}{} there; bytes(HEX) "
                            "gives any bytes",
                            i, arguments[i], kernel.name, parameter.type,
                            parameter.name.empty() ? "" : " ", parameter.name));
  }
  return {};
}

}  // namespace assay::tools
