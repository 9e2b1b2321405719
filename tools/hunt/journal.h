// The batches that a hunt has done, in a file that is replaced now and then: what a kill loses is
// done again by --resume, with the same outcome.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/sealed_text.h"
#include "tools/hunt/batch.h"

namespace assay::tools {

class HuntJournal {
 public:
  // The file FOLDER/hunt.journal.  kUsage where it is another hunt's, or where there is one and
  // `resumes` is false.  Without a folder it keeps nothing.
  static Expected<HuntJournal> Open(const std::string& folder, const std::string& identity,
                                    bool resumes);

  // What an earlier run has done, in order.
  std::vector<HuntBatch> TakeDone() { return std::move(done_); }
  // Writes the file where the last time is long ago, or where the batch has findings.
  Expected<void> Add(const HuntBatch& batch);
  Expected<void> Write();

 private:
  HuntJournal();

  std::string path_;
  base::SealedText text_;
  std::vector<HuntBatch> done_;
  std::chrono::steady_clock::time_point written_;
};

}  // namespace assay::tools
