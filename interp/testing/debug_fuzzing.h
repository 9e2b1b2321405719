// What the fuzz targets of the debugger share: a launch of a kernel under it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "frontend/module.h"
#include "interp/debug/core.h"
#include "interp/launch/launch.h"

namespace assay::interp {

// Two work-items of the module's kernel `name`, with 64 bytes for each pointer and bytes of 3 for
// everything else; nothing where the module has no such kernel, or it cannot be launched.
inline std::optional<LaunchResult> LaunchUnder(
    DebugCore* core, const std::shared_ptr<const frontend::Module>& module, const char* name,
    DetectorSet detectors) {
  SessionOptions options;
  options.detectors = detectors;
  options.max_memory = std::uint64_t{64} << 20;
  const auto session = Session::Create(module, options);
  if (!session) return std::nullopt;
  LaunchRequest request{.kernel = name};
  request.range.global = {2, 1, 1};
  const auto kernel = (*session)->FindKernel(name);
  if (!kernel) return std::nullopt;
  for (const ParameterInfo& parameter : kernel->parameters) {
    if (parameter.kind == ParameterKind::kLocal) {
      request.arguments.emplace_back(LocalArgument{64});
    } else if (parameter.kind == ParameterKind::kGlobal) {
      const auto address = (*session)->memory().Allocate(64, AddressSpace::kGlobal, "buffer", true);
      if (!address) return std::nullopt;
      request.arguments.emplace_back(BufferArgument{*address});
    } else {
      if (parameter.bytes > 4096) return std::nullopt;
      BytesArgument argument;
      argument.bytes.assign(parameter.bytes, std::byte{3});
      request.arguments.emplace_back(std::move(argument));
    }
  }
  request.options.debug = core;
  request.options.threads = 1;
  request.options.max_instructions = 100000;
  request.options.timeout_seconds = 5;
  auto result = (*session)->Launch(request);
  if (!result) return std::nullopt;
  return std::move(*result);
}

}  // namespace assay::interp
