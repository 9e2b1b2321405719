#include "tools/hunt/journal.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"

namespace assay::tools {
namespace {

constexpr std::string_view kJournalSchema = "assay-hunt-journal/1";
constexpr auto kWriteEvery = std::chrono::seconds(2);

}  // namespace

HuntJournal::HuntJournal() : text_(kJournalSchema) {}

Expected<HuntJournal> HuntJournal::Open(const std::string& folder, const std::string& identity,
                                        bool resumes) {
  HuntJournal journal;
  if (folder.empty()) return journal;
  journal.path_ = folder + "/hunt.journal";
  journal.text_.Add("hunt", identity);
  if (!base::Exists(journal.path_)) {
    if (auto written = journal.Write(); !written) return tl::unexpected(written.error());
    return journal;
  }
  if (!resumes) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: there is a hunt already; go on with it by "
                                               "--resume, or name another --output",
                                               journal.path_));
  }
  const auto text = base::ReadWholeFile(journal.path_);
  if (!text) return tl::unexpected(text.error());
  const auto records = base::ReadSealedText(*text, kJournalSchema);
  if (!records) {
    return Fail(records.error().kind, journal.path_ + ": " + records.error().message);
  }
  if (records->empty() || (*records)[0].text != identity) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: it is another hunt's: {}; this one is {}", journal.path_,
                            records->empty() ? "" : (*records)[0].text, identity));
  }
  for (std::size_t i = 1; i < records->size(); ++i) {
    auto batch = HuntBatchFromJson(base::ParseJson((*records)[i].text));
    if (!batch)
      return Fail(ErrorKind::kUsage, fmt::format("{}: record {} is no batch", journal.path_, i));
    journal.done_.push_back(std::move(*batch));
    journal.text_.Add("batch", (*records)[i].text);
  }
  return journal;
}

Expected<void> HuntJournal::Add(const HuntBatch& batch) {
  if (path_.empty()) return {};
  text_.Add("batch", base::JsonText(HuntBatchJson(batch)));
  const bool is_due = std::chrono::steady_clock::now() - written_ > kWriteEvery;
  return is_due || !batch.findings.empty() ? Write() : Expected<void>();
}

Expected<void> HuntJournal::Write() {
  if (path_.empty()) return {};
  written_ = std::chrono::steady_clock::now();
  return base::WriteFileAtomically(path_, text_.Whole());
}

}  // namespace assay::tools
