// The folders from which files may be read whose names come from data: a job, a module, a report.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::base {

class ReadScope {
 public:
  // Adds a folder or a single file.  A path that does not exist allows nothing.
  void Add(const std::string& path);
  // Links are followed first; the real path of the file decides.
  bool Allows(const std::string& path) const;
  // kUsage, with the remedy, if the path is not in the scope; `who` named it ("job.json: /module").
  Expected<void> Check(const std::string& path, const std::string& who) const;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;  // absolute, without links
};

}  // namespace assay::base
