#include "frontend/load.h"

#include <utility>

#include "frontend/capabilities.h"
#include "frontend/linker.h"
#include "frontend/validate.h"

namespace assay::frontend {

Expected<LoadedModule> LoadModule(std::span<const Binary> binaries,
                                  const Specialization& specialization) {
  LoadedModule loaded;
  for (const Binary& binary : binaries) {
    // Refused by name before the validator complains about what follows from it.
    if (auto good = CheckCapabilities(binary); !good) return tl::unexpected(good.error());
    auto warnings = Validate(binary);
    if (!warnings) return tl::unexpected(warnings.error());
    loaded.warnings.insert(loaded.warnings.end(), binary.warnings.begin(), binary.warnings.end());
    loaded.warnings.insert(loaded.warnings.end(), warnings->begin(), warnings->end());
  }
  auto linked = Link(binaries, binaries.empty() ? "no module" : binaries[0].name);
  if (!linked) return tl::unexpected(linked.error());
  if (binaries.size() > 1) {
    loaded.warnings.insert(loaded.warnings.end(), linked->warnings.begin(), linked->warnings.end());
  }
  auto module = BuildModule(*linked, specialization);
  if (!module) return tl::unexpected(module.error());
  if (auto good = CheckFeatures(**module); !good) return tl::unexpected(good.error());
  loaded.module = std::move(*module);
  return loaded;
}

Expected<LoadedModule> LoadModule(std::span<const std::string> paths, const LoadOptions& options) {
  std::vector<Binary> binaries;
  std::string messages;
  bool from_cache = true;
  for (const std::string& path : paths) {
    if (!path.ends_with(".cl")) {
      auto binary = LoadFile(path);
      if (!binary) return tl::unexpected(binary.error());
      binaries.push_back(std::move(*binary));
      continue;
    }
    auto compiled = CompileFile(path, options.compile);
    if (!compiled) return tl::unexpected(compiled.error());
    binaries.push_back(std::move(compiled->binary));
    messages += compiled->messages;
    from_cache = from_cache && compiled->from_cache;
  }
  auto loaded = LoadModule(binaries, options.specialization);
  if (!loaded) return loaded;
  loaded->compiler_messages = std::move(messages);
  loaded->from_cache = from_cache;
  return loaded;
}

}  // namespace assay::frontend
