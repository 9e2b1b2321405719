#include "tools/debug/log.h"

#include <filesystem>
#include <utility>

#include "base/text.h"

namespace assay::tools {

DebugLog::~DebugLog() { (void)End(); }

Expected<void> DebugLog::Begin() {
  std::string before;
  std::error_code unknown;
  if (!overwrites && std::filesystem::is_regular_file(path, unknown)) {
    auto text = base::ReadWholeFile(path);
    if (!text) return tl::unexpected(text.error());
    before = std::move(*text);
  }
  auto file = base::FileWriter::Create(path);
  if (!file) return tl::unexpected(file.error());
  if (auto kept = (*file)->Append(before); !kept) return kept;
  file_ = std::move(*file);
  state_ = {};
  return {};
}

void DebugLog::Add(const std::string& text) {
  if (file_ == nullptr || !state_) return;
  // Somebody will show the file at a terminal.
  state_ = file_->Append(base::PrintableLines(text));
}

Expected<void> DebugLog::End() {
  if (file_ == nullptr) return {};
  const auto file = std::exchange(file_, nullptr);
  if (!state_) return std::exchange(state_, {});
  return file->Commit();
}

}  // namespace assay::tools
