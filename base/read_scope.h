// The folders from which files may be read whose names come from data: a job, a module, a report.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::base {

class ReadScope {
 public:
  // A folder, or a single file; what does not exist allows nothing.
  void Add(const std::string& path);
  // Links are followed first: what counts is where a file really is.
  bool Allows(const std::string& path) const;
  // kUsage where it is elsewhere, with the remedy; `who` named it ("job.json: /module").
  Expected<void> Check(const std::string& path, const std::string& who) const;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;  // absolute, without links
};

}  // namespace assay::base
