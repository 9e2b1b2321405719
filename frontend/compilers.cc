#include "frontend/compilers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/installation.h"
#include "base/run_tool.h"

namespace assay::frontend {
namespace {

enum class Route : std::uint8_t { kTranslator, kOwnTarget };

constexpr int kFirstOwnTarget = 20;

struct Row {
  Compiler compiler;
  int version;
  Route route;
};

constexpr Row kRows[] = {
#define ASSAY_COMPILER(id, version, route) {Compiler::id, version, Route::route},
#include "frontend/compilers.def"
#undef ASSAY_COMPILER
};

const Row& RowOf(Compiler compiler) { return kRows[static_cast<std::size_t>(compiler)]; }

// Debian has one for each version.  Other systems have one, without a version in its name.
std::string FindTranslator(int version) {
  std::string path = base::FindProgram(fmt::format("llvm-spirv-{}", version));
  if (!path.empty()) return path;
  static const std::string only = base::FindProgram("llvm-spirv");
  if (only.empty()) return "";
  static const std::string said = [] {
    const auto result = base::RunTool({only, "--version"}, 20);
    return result && result->exit_status == 0 ? result->output : std::string();
  }();
  return said.find(fmt::format("LLVM version {}.", version)) == said.npos ? "" : only;
}

std::string Packages(const Row& row) {
  std::string packages = fmt::format("clang-{0} libclang-common-{0}-dev", row.version);
  if (row.route == Route::kTranslator) packages += fmt::format(" llvm-spirv-{}", row.version);
  return packages + " bubblewrap";
}

}  // namespace

std::span<const Compiler> AllCompilers() {
  static const auto all = [] {
    std::array<Compiler, std::size(kRows)> compilers{};
    std::ranges::transform(kRows, compilers.begin(), &Row::compiler);
    return compilers;
  }();
  return all;
}

std::string CompilerName(Compiler compiler) {
  const Row& row = RowOf(compiler);
  const bool has_both = row.route == Route::kTranslator && row.version >= kFirstOwnTarget;
  return fmt::format("clang-{}{}", row.version, has_both ? "+llvm-spirv" : "");
}

std::vector<std::string> CompilerNames() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.push_back(CompilerName(row.compiler));
  return names;
}

Expected<Compiler> ParseCompiler(std::string_view name) {
  for (const Row& row : kRows) {
    if (name == CompilerName(row.compiler)) return row.compiler;
  }
  return Fail(ErrorKind::kUsage, fmt::format("unknown compiler '{}'; assay knows {}", name,
                                             fmt::join(CompilerNames(), ", ")));
}

Expected<CompilerPrograms> FindPrograms(Compiler compiler) {
  const Row& row = RowOf(compiler);
  const std::string clang = fmt::format("clang-{}", row.version);
  const auto missing = [&](std::string_view program) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} is not installed; {}", program, base::HowToInstall(Packages(row))));
  };
  CompilerPrograms found{
      .version = row.version, .clang = base::FindProgram(clang), .translator = ""};
  if (found.clang.empty()) return missing(clang);
  if (row.route == Route::kTranslator) {
    found.translator = FindTranslator(row.version);
    if (found.translator.empty()) return missing(fmt::format("llvm-spirv-{}", row.version));
  }
  return found;
}

bool HasCompiler(Compiler compiler) { return FindPrograms(compiler).has_value(); }

std::vector<Compiler> InstalledCompilers() {
  std::vector<Compiler> installed;
  std::ranges::copy_if(AllCompilers(), std::back_inserter(installed), HasCompiler);
  return installed;
}

std::optional<Compiler> SecondCompiler() {
  for (const Row& row : kRows) {
    if (row.route == Route::kOwnTarget && HasCompiler(row.compiler)) return row.compiler;
  }
  return std::nullopt;
}

std::string NoCompilerMessage() {
  return fmt::format(
      "no compiler of OpenCL C is installed: assay takes clang 15 to 23 with the llvm-spirv of the "
      "same version, or clang 20 to 23 alone; {} (Debian 13 has their version 19, Debian 14 their "
      "version 21)",
      base::HowToInstall("clang-15 libclang-common-15-dev llvm-spirv-15 bubblewrap"));
}

}  // namespace assay::frontend
