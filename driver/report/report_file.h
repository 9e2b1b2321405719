// The file of a process in the folder of the report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::driver {

// Each line is written by one write() to the end of the file, which is open for this only.
class ReportFile {
 public:
  // "FOLDER/PID-START.jsonl"; it exists when the first line is written.
  ReportFile(const std::string& folder, std::uint64_t start);

  // Appends the line and a newline.  False where that failed; errno and the application's state are
  // as before.
  bool Append(std::string_view line);
  // Writes a text into FOLDER/sources, if it is not there; by its digest.  False where that failed.
  bool SaveSource(const std::string& digest, std::string_view text) const;

 private:
  std::string folder_;
  std::string path_;
  bool is_cut_ = false;  // the last line lacks its end
};

}  // namespace assay::driver
