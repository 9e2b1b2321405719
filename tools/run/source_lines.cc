#include "tools/run/source_lines.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "frontend/loader.h"

namespace assay::tools {

SourceLines::SourceLines(const frontend::Module& module,
                         const std::vector<std::string>& module_paths, base::ReadScope reads)
    : module_(module), reads_(std::move(reads)) {
  for (const std::string& path : module_paths) {
    folders_.push_back(std::filesystem::path(path).parent_path().string());
    reads_.Add(folders_.back());
  }
}

std::string SourceLines::At(std::uint32_t instruction) {
  const frontend::DebugInfo& debug = module_.debug_info;
  if (instruction >= debug.locations.size()) return "";
  const frontend::SourceLocation& location = debug.locations[instruction];
  return location.IsKnown() ? Line(location.file, location.line) : "";
}

std::string SourceLines::Line(std::uint32_t file, std::uint32_t line) {
  const std::vector<std::string>& lines = LinesOf(file);
  return line >= 1 && line <= lines.size() ? lines[line - 1] : "";
}

std::string SourceLines::Of(const std::string& path, std::uint32_t line) {
  for (std::uint32_t file = 0; file < module_.debug_info.files.size(); ++file) {
    if (module_.debug_info.files[file].path == path) return Line(file, line);
  }
  return "";
}

std::uint32_t SourceLines::Count(std::uint32_t file) {
  return static_cast<std::uint32_t>(LinesOf(file).size());
}

const std::vector<std::string>& SourceLines::LinesOf(std::uint32_t file) {
  const auto [place, added] = lines_.try_emplace(file);
  if (!added || file >= module_.debug_info.files.size()) return place->second;
  const frontend::DebugFile& debug = module_.debug_info.files[file];
  std::string text = debug.text;
  // A module that was compiled elsewhere may stand beside its source.
  std::vector<std::filesystem::path> candidates = {debug.path};
  for (const std::string& folder : folders_) {
    candidates.push_back(std::filesystem::path(folder) /
                         std::filesystem::path(debug.path).filename());
  }
  for (const auto& candidate : candidates) {
    std::error_code ignored;
    if (!text.empty() || !reads_.Allows(candidate.string())) continue;
    if (!std::filesystem::is_regular_file(candidate, ignored)) continue;
    text = base::ReadWholeFile(candidate.string()).value_or("");
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    place->second.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return place->second;
}

}  // namespace assay::tools
