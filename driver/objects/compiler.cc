#include "driver/objects/compiler.h"

#include <unistd.h>

#include "frontend/load.h"
#include "frontend/linker.h"

namespace assay::driver {

BuildResult CompileSource(const std::string& source, const std::string& name, const std::string& options,
                          const std::vector<std::pair<std::string, std::string>>&) {
  frontend::CompileOptions compile;
  compile.build_options = options;
  compile.options_from = frontend::OptionsFrom::kCommandLine;
  auto compiled = frontend::CompileSource(source, name, "/tmp", compile);
  if (!compiled) return {CL_BUILD_PROGRAM_FAILURE, compiled.error().message, {}};
  return {CL_SUCCESS, compiled->messages, std::move(compiled->binary.words)};
}

BuildResult CheckIl(const std::vector<std::byte>& il, const std::string& name,
                    const std::map<cl_uint, std::vector<std::byte>>&) {
  auto binary = frontend::LoadBytes(il, name);
  if (!binary) return {CL_INVALID_VALUE, binary.error().message, {}};
  return {CL_SUCCESS, "", std::move(binary->words)};
}

BuildResult Link(const std::vector<std::vector<frontend::Word>>& modules, const std::string& name,
                 const std::string&) {
  std::vector<frontend::Binary> binaries;
  for (const auto& words : modules) {
    auto binary = frontend::LoadWords(words, name);
    if (!binary) return {CL_INVALID_BINARY, binary.error().message, {}};
    binaries.push_back(std::move(*binary));
  }
  auto linked = frontend::Link(binaries, name);
  if (!linked) return {CL_LINK_PROGRAM_FAILURE, linked.error().message, {}};
  return {CL_SUCCESS, "", std::move(linked->words)};
}

}  // namespace assay::driver
