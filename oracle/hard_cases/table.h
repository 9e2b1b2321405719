// A table of hard cases as text: testsuites/golden/hard/FUNCTION.FORMAT.tsv.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/hard_cases/search.h"

namespace assay::oracle {

inline constexpr std::string_view kHardSearchSchema = "assay-golden-search/1";

// "exp.double.tsv"
std::string HardTableName(const numerics::Operation& operation);

// The whole file.  `command`: the command that makes it; `versions`: the versions of the libraries
// that were used.
std::string FormatHardTable(const numerics::Operation& operation, const HardSearchResult& result,
                            const std::string& command, const std::string& versions);

// Was the table made by this command?  False also where there is none.
bool IsTableOf(const std::string& path, const std::string& command);

nlohmann::ordered_json HardTableToJson(const numerics::Operation& operation,
                                       const HardSearchResult& result);

// Published hard cases: lines of function, format, operands and a source, parted by tabs; '#'
// starts a comment.  The operands, flattened, of one function at one format.
Expected<std::vector<numerics::Bits>> ReadPublished(const std::string& path,
                                                    const numerics::Operation& operation);

}  // namespace assay::oracle
