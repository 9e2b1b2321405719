// Repeating a run: the command for it, and the data that a report keeps for --replay.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/run/options.h"
#include "tools/run/report.h"

namespace assay::tools {

// As somebody types it: "assay run saxpy.cl -g 64 -a 'int[4]=0' --seed 7".  Options that only show
// or save things are left out.
std::string RunCommand(const RunOptions& options, std::uint64_t seed,
                       std::span<const std::uint32_t> choices);

// "0,1,1", without the zeros at its end: with seed 0 an answer that is not given is the first.
std::string ChoicesText(std::span<const std::uint32_t> choices);
Expected<std::vector<std::uint32_t>> ParseChoices(const std::string& text);

// The files that define the run, each with its digest; "" if one cannot be read.
std::vector<ReportedSource> SourcesOf(const interp::Job& job);

ReportedReplay ReplayOf(const RunOptions& options, std::vector<ReportedSource> sources,
                        std::uint64_t seed, std::span<const std::uint32_t> choices);

// Sets the options from the report of `options->replay`. kUsage for a file that is not a report,
// and if a source file has changed.
Expected<void> ApplyReplay(RunOptions* options);

}  // namespace assay::tools
