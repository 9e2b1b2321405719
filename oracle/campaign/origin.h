// The origin of a report (date, host, command), for its readers.  No answer and no verdict depends
// on it.
#pragma once

#include <string>

namespace assay::oracle {

struct Origin {
  std::string date;     // when the run began, in UTC: "2026-11-22T17:05:00Z"
  std::string host;     // the machine's name
  std::string command;  // without --resume
  bool IsEmpty() const { return date.empty() && host.empty() && command.empty(); }
  bool operator==(const Origin&) const = default;
};

// This machine, and now; or SOURCE_DATE_EPOCH, by which builds and reports are made again.
Origin OriginOf(std::string command);

// "2026-11-22T17:05:00Z on host"; empty if neither is known.
std::string OriginText(const Origin& origin);

}  // namespace assay::oracle
