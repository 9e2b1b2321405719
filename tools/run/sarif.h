// Findings as SARIF 2.1.0 (OASIS, 27 March 2020), for editors and code hosting.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/run/report.h"

namespace assay::tools {

// A result that is no finding about a kernel: a driver that broke a rule.  It is an error.
struct SarifResult {
  std::string rule, title, help;  // its name, and what it says
  std::string message;
  SourcePlace place;
  std::string identity;  // the same result of another run has the same
};

struct SarifMore {
  std::vector<SarifResult> results;
  // The sources are copies in folders that are others in each run: fingerprints have their names
  // without the folders.
  bool are_copies = false;
  // An absolute path: files below it are named from there, not from `folder`.  "": from `folder`.
  std::string root{};
  // Texts of sources by the paths that findings have for them: of those that are no files, or will
  // not be there.
  std::map<std::string, std::string> sources{};
};

// One run: a rule for each that has a finding, hidden findings with their suppression.  Files below
// `folder`, the one that the command was given in, are named from there (%SRCROOT%): so consumers
// find them in their copy of the sources.  A rule's help is its row of docs/rules.md where the
// documents are installed, else its clause.
nlohmann::ordered_json SarifOf(const RunReport& report, const std::string& folder,
                               const SarifMore& more = {});

}  // namespace assay::tools
