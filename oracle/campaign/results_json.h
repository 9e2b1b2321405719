// Results as JSON: the report's schema (docs/cli.md) and the checkpoint's lossless form.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/expected.h"
#include "oracle/campaign/campaign.h"

namespace assay::oracle {

inline constexpr std::string_view kReportSchema = "assay-validate/1";
inline constexpr std::string_view kCheckpointSchema = "assay-checkpoint/2";

// The command that shows one sighting again; `reading`: judged by another text than the run's.
std::string ReproductionCommand(const RunInfo& run, const numerics::Operation& operation,
                                const Sighting& sighting,
                                std::optional<Reading> reading = std::nullopt);

// The command that runs a whole sweep again, in one width.
std::string SweepCommand(const RunInfo& run, const numerics::Operation& operation, int width);

nlohmann::ordered_json DeviceToJson(const DeviceDescription& device);
nlohmann::ordered_json RunToJson(const RunInfo& run);
nlohmann::ordered_json ToJson(const Origin& origin);
Origin OriginFromJson(const nlohmann::ordered_json& json);  // throws as nlohmann::json does
nlohmann::ordered_json ResultToJson(const RunInfo& run, const FunctionResult& result);
nlohmann::ordered_json ReportToJson(const Report& report);
// With a head that has been written before.
nlohmann::ordered_json ReportToJson(const Report& report, nlohmann::ordered_json device,
                                    nlohmann::ordered_json run);

// The level, and the range of the inputs where there is one: "standard, range 0.5,2".
std::string LevelText(const RunInfo& run);

// How the inputs of a result cover the operands: "exhaustive", "searched" or "sampled".
std::string_view CoverageName(const FunctionResult& result);

// JSON has no infinity: an error of the wrong class is the string "inf".
nlohmann::ordered_json NumberToJson(double value);
nlohmann::ordered_json LostToJson(const std::vector<LostWidth>& lost);

// Lossless, for checkpoints and shards.
nlohmann::ordered_json ToCheckpoint(const Statistics& statistics);
nlohmann::ordered_json ToCheckpoint(const FunctionResult& result);
nlohmann::ordered_json ToCheckpoint(const SweepProgress& progress);
Expected<SweepProgress> ProgressFromCheckpoint(const nlohmann::ordered_json& json);
Expected<Statistics> StatisticsFromCheckpoint(const nlohmann::ordered_json& json);
Expected<FunctionResult> ResultFromCheckpoint(const nlohmann::ordered_json& json);

}  // namespace assay::oracle
