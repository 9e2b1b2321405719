#include "frontend/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "frontend/capabilities.h"
#include "frontend/linker.h"
#include "frontend/validate.h"

namespace assay::frontend {

Expected<LoadedModule> LoadModule(std::span<const Binary> binaries,
                                  const Specialization& specialization,
                                  const base::Budget& budget) {
  LoadedModule loaded;
  for (const Binary& binary : binaries) {
    // Refused by name before the validator complains about what follows from it.
    if (auto good = CheckCapabilities(binary); !good) return tl::unexpected(good.error());
    auto warnings = Validate(binary, budget);
    if (!warnings) return tl::unexpected(warnings.error());
    loaded.warnings.insert(loaded.warnings.end(), binary.warnings.begin(), binary.warnings.end());
    loaded.warnings.insert(loaded.warnings.end(), warnings->begin(), warnings->end());
    loaded.compilers.push_back(binary.compiler);
  }
  auto linked = Link(binaries, binaries.empty() ? "no module" : binaries[0].name, budget);
  if (!linked) return tl::unexpected(linked.error());
  if (binaries.size() > 1) {
    loaded.warnings.insert(loaded.warnings.end(), linked->warnings.begin(), linked->warnings.end());
  }
  const base::Doing doing(budget, fmt::format("decoding {}", linked->name));
  auto module = BuildModule(*linked, specialization);
  if (!module) return tl::unexpected(module.error());
  if (auto good = budget.Check(); !good) return tl::unexpected(good.error());
  loaded.module = std::move(*module);
  return loaded;
}

namespace {

// A compiler that has less does not start.
constexpr std::uint64_t kCompilerBytes = std::uint64_t{192} << 20;

Expected<Compiled> Compile(const std::string& path, const LoadOptions& options) {
  const base::Doing doing(options.budget, fmt::format("compiling {}", path));
  CompileOptions compile = options.compile;
  const base::RunLimits left = options.budget.Left();
  // Who sets a limit may give a compiler more than it has by default, too.
  if (left.seconds > 0) compile.limits.seconds = left.seconds;
  if (left.memory_bytes > 0) {
    compile.limits.memory_bytes =
        std::min(compile.limits.memory_bytes, std::max(left.memory_bytes, kCompilerBytes));
  }
  const auto source = options.sources.find(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  auto compiled = source == options.sources.end()
                      ? CompileFile(path, compile)
                      : CompileSource(source->second, path, folder.empty() ? "." : folder, compile);
  if (!compiled && options.budget.IsExceeded()) return options.budget.Reached();
  return compiled;
}

}  // namespace

Expected<LoadedModule> LoadModule(std::span<const std::string> paths, const LoadOptions& options) {
  std::vector<Binary> binaries;
  std::string messages;
  std::vector<FileDigest> included;
  bool from_cache = true;
  for (const std::string& path : paths) {
    if (!path.ends_with(".cl") && !options.sources.contains(path)) {
      auto binary = LoadFile(path, options.budget);
      if (!binary) return tl::unexpected(binary.error());
      binaries.push_back(std::move(*binary));
      continue;
    }
    auto compiled = Compile(path, options);
    if (!compiled) return tl::unexpected(compiled.error());
    binaries.push_back(std::move(compiled->binary));
    messages += compiled->messages;
    included.insert(included.end(), compiled->included.begin(), compiled->included.end());
    from_cache = from_cache && compiled->from_cache;
  }
  auto loaded = LoadModule(binaries, options.specialization, options.budget);
  if (!loaded) return loaded;
  loaded->compiler_messages = std::move(messages);
  loaded->included = std::move(included);
  loaded->from_cache = from_cache;
  return loaded;
}

}  // namespace assay::frontend
