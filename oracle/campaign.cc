#include "oracle/campaign.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "oracle/json_text.h"
#include "oracle/results_json.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Operation;

// Everything that a result depends on: two runs with the same key give the same report.
Json KeyOf(const DeviceDescription& device, const RunInfo& run,
           const std::vector<Operation>& operations) {
  Json names = Json::array();
  for (const Operation& operation : operations) {
    names.push_back(operation.Name() + ":" + operation.FormatName());
  }
  return {{"device", DeviceToJson(device)}, {"run", RunToJson(run)}, {"operations", names}};
}

struct Checkpoint {
  std::vector<FunctionResult> finished;
  std::optional<SweepProgress> current;  // of operation number finished.size()
};

// Names the first field in which two keys differ.
std::string Difference(const Json& mine, const Json& theirs, const std::string& path) {
  if (mine.is_object() && theirs.is_object()) {
    for (const auto& [name, value] : mine.items()) {
      if (!theirs.contains(name)) return path + name;
      if (value != theirs[name]) return Difference(value, theirs[name], path + name + ".");
    }
    for (const auto& [name, value] : theirs.items()) {
      if (!mine.contains(name)) return path + name;
    }
  }
  return fmt::format("{} (here {}, there {})", path.substr(0, path.size() - 1), JsonText(mine),
                     JsonText(theirs).substr(0, 80));
}

// What a checkpoint has measured of `operations`; the error says what is wrong with it.
Expected<Checkpoint> MeasuredSoFar(const Json& json, const std::vector<Operation>& operations) {
  Checkpoint checkpoint;
  if (!json["finished"].is_array() || json["finished"].size() > operations.size()) {
    return Fail(ErrorKind::kUsage, "'finished' is no list of these functions");
  }
  for (const Json& entry : json["finished"]) {
    Expected<FunctionResult> result = ResultFromCheckpoint(entry);
    if (!result) return tl::unexpected<Error>(result.error());
    if (result->operation != operations[checkpoint.finished.size()]) {
      return Fail(ErrorKind::kUsage, "'finished' has the functions in another order");
    }
    checkpoint.finished.push_back(std::move(*result));
  }
  if (!json.contains("current")) return checkpoint;
  Expected<SweepProgress> current = ProgressFromCheckpoint(json["current"]);
  if (!current) {
    return Fail(ErrorKind::kUsage,
                "'current' does not say where the run stood: " + current.error().message);
  }
  checkpoint.current = std::move(*current);
  return checkpoint;
}

Expected<Checkpoint> ReadCheckpoint(const std::string& path, const Json& key,
                                    const std::vector<Operation>& operations) {
  std::ifstream file(path);
  if (!file) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no checkpoint '{}' to resume from; run without --resume first", path));
  }
  const Json json = ParseJson(file);
  const auto damaged = [&](const std::string& what) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the checkpoint '{}' is damaged ({}); remove it and run again without "
                            "--resume",
                            path, what));
  };
  if (json.is_discarded()) return damaged("not JSON, perhaps truncated");
  if (!json.is_object() || !json.contains("schema") || json["schema"] != kCheckpointSchema) {
    return damaged(fmt::format("its schema is not {}", kCheckpointSchema));
  }
  if (!json.contains("key") || !json.contains("finished")) return damaged("fields are missing");
  if (json["key"] != key) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the checkpoint '{}' belongs to another run: {} differs; give the same "
                            "options, or another --checkpoint",
                            path, Difference(key, json["key"], "")));
  }
  Expected<Checkpoint> checkpoint = MeasuredSoFar(json, operations);
  if (!checkpoint) return damaged(checkpoint.error().message);
  return checkpoint;
}

class CheckpointWriter {
 public:
  CheckpointWriter(std::string path, Json key, double seconds)
      : path_(std::move(path)), key_(std::move(key)), seconds_(seconds) {}

  void Finished(const FunctionResult& result) {
    if (path_.empty()) return;
    finished_.push_back(ToCheckpoint(result));
  }

  // A checkpoint that cannot be written is reported once and does not stop the run.
  Expected<void> Write(const SweepProgress* current, bool now) {
    if (path_.empty() || broken_) return {};
    const auto time = std::chrono::steady_clock::now();
    if (!now && std::chrono::duration<double>(time - last_).count() < seconds_) return {};
    last_ = time;
    Json json{{"schema", kCheckpointSchema}, {"key", key_}, {"finished", finished_}};
    if (current != nullptr) json["current"] = ToCheckpoint(*current);
    Expected<void> written = WriteFileAtomically(path_, JsonText(json));
    broken_ = !written;
    return written;
  }

 private:
  std::string path_;
  Json key_;
  double seconds_;
  Json finished_ = Json::array();
  bool broken_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

Expected<Report> RunCampaign(Device& device, const RunInfo& run,
                             const std::vector<Operation>& operations,
                             const std::string& checkpoint_path, bool resume,
                             double checkpoint_seconds, const CampaignHooks& hooks) {
  Report report{.device = device.Description(), .run = run, .results = {}, .interrupted = false};
  const Json key = KeyOf(report.device, run, operations);
  Checkpoint checkpoint;
  if (resume) {
    Expected<Checkpoint> read = ReadCheckpoint(checkpoint_path, key, operations);
    if (!read) return tl::unexpected<Error>(read.error());
    checkpoint = std::move(*read);
  }
  CheckpointWriter writer(checkpoint_path, key, checkpoint_seconds);
  const auto keep = [&](const Expected<void>& written) {
    if (!written && hooks.checkpoint_failed) hooks.checkpoint_failed(written.error());
  };
  const auto stopped = [&] { return hooks.stop != nullptr && hooks.stop->load(); };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (i < checkpoint.finished.size()) {
      report.results.push_back(checkpoint.finished[i]);
      writer.Finished(report.results.back());
      if (hooks.finished) hooks.finished(report.results.back());
      continue;
    }
    if (stopped()) {
      // The operation before may have ended between two checkpoints.
      if (!report.interrupted) keep(writer.Write(nullptr, true));
      report.interrupted = true;
      FunctionResult result;
      result.operation = operations[i];
      result.message = "interrupted before it began";
      report.results.push_back(std::move(result));
      continue;
    }
    if (hooks.begin) hooks.begin(i, operations[i]);
    SweepHooks sweep_hooks{.stop = hooks.stop, .progress = [&](const SweepProgress& progress) {
                             if (hooks.progress) hooks.progress(progress);
                             keep(writer.Write(&progress, false));
                           }};
    SweepProgress from;
    if (i == checkpoint.finished.size() && checkpoint.current) from = *checkpoint.current;
    std::optional<SweepProgress> last;
    if (!checkpoint_path.empty()) {
      sweep_hooks.progress = [&, next = sweep_hooks.progress](const SweepProgress& progress) {
        last = progress;
        next(progress);
      };
    }
    FunctionResult result =
        SweepOperation(device, operations[i], run.options, sweep_hooks, std::move(from));
    // An interrupted operation is resumed from its last batch, not counted as finished.
    const bool complete = !stopped() || result.exhaustive ||
                          (last && last->next_item >= last->count && last->count > 0);
    if (complete) {
      writer.Finished(result);
      keep(writer.Write(nullptr, false));
    } else {
      keep(writer.Write(last ? &*last : nullptr, true));
      report.interrupted = true;
    }
    if (hooks.finished) hooks.finished(result);
    report.results.push_back(std::move(result));
  }
  return report;
}

}  // namespace assay::oracle
