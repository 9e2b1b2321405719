// Results that a clause prescribes: C99 Annex F.9, OpenCL C 7.5.1, 7.5.2 and the function texts.
//
// Data, not code paths: edge_cases.def has one row per clause, with the argument classes it covers
// and the value it demands.  EvaluateExact asks here first.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "numerics/exact.h"
#include "numerics/operation.h"

namespace assay::numerics {

struct EdgeCase {
  std::string_view id;        // "E007" or "F042", as in edge_cases.json
  std::string_view citation;  // "OpenCL C 7.5.1: atan2pi(+-0, -0) = +-1"
};

// The row that prescribes the results of `operation` at `args`, with the prescribed results filled
// in (`prescribed` set), or nullptr.  A row may also say that a result is open (kUnspecified), or
// state one that no clause prescribes (`prescribed` not set): then the limits judge it.  Where a
// row prescribes only one of two results, the other entry of `results` is left as it was.  Only
// special operands (zero, infinity, NaN, values named by a row) can match; the caller may skip the
// look-up for rows without such operands.
const EdgeCase* FindEdgeCase(const Operation& operation, std::span<const Bits> args,
                             std::span<Exact> results);

// All rows, for `assay explain`, the documentation and the tests.
std::span<const EdgeCase> AllEdgeCases();

}  // namespace assay::numerics
