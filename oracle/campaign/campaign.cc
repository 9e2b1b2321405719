#include "oracle/campaign/campaign.h"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <nlohmann/json.hpp>
#include <span>

#include "base/file.h"
#include "base/json_text.h"
#include "base/sealed_text.h"
#include "oracle/campaign/key.h"
#include "oracle/campaign/results_json.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Operation;

// The kinds of a checkpoint's records, in this order.
constexpr std::string_view kKey = "key";            // KeyOf
constexpr std::string_view kOrigin = "origin";      // of the run that began
constexpr std::string_view kFinished = "finished";  // a function's result
constexpr std::string_view kCurrent = "current";    // where the next function stands

constexpr std::size_t kMaxCheckpoint = std::size_t{2} << 30;

struct Checkpoint {
  Origin origin;
  std::vector<FunctionResult> finished;
  std::optional<SweepProgress> current;  // of operation number finished.size()
};

tl::unexpected<Error> Damaged(const std::string& path, const std::string& what) {
  return Fail(ErrorKind::kUsage,
              fmt::format("the checkpoint '{}' is damaged ({}); remove it and run again without "
                          "--resume",
                          path, what));
}

// The results of `operations` in a checkpoint; an error says what is wrong with it.
Expected<Checkpoint> MeasuredSoFar(std::span<const base::SealedRecord> records,
                                   const std::vector<Operation>& operations) {
  Checkpoint checkpoint;
  for (const base::SealedRecord& record : records) {
    const Json json = base::ParseJson(record.text);
    if (json.is_discarded() || checkpoint.current) {
      return Fail(ErrorKind::kUsage, "its records are none of a checkpoint");
    }
    if (record.kind == kOrigin) {
      try {
        checkpoint.origin = OriginFromJson(json);
      } catch (const std::exception& error) {
        return Fail(ErrorKind::kUsage, error.what());
      }
      continue;
    }
    if (record.kind == kCurrent) {
      Expected<SweepProgress> current = ProgressFromCheckpoint(json);
      if (!current) return tl::unexpected<Error>(current.error());
      checkpoint.current = std::move(*current);
      continue;
    }
    Expected<FunctionResult> result = ResultFromCheckpoint(json);
    if (!result) return tl::unexpected<Error>(result.error());
    const std::size_t place = checkpoint.finished.size();
    if (place >= operations.size() || result->operation != operations[place]) {
      return Fail(ErrorKind::kUsage, "it has the functions in another order");
    }
    checkpoint.finished.push_back(std::move(*result));
  }
  return checkpoint;
}

Expected<Checkpoint> ReadCheckpoint(const std::string& path, const Json& key,
                                    const std::vector<Operation>& operations) {
  if (!base::Exists(path)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no checkpoint '{}' to resume from; run without --resume first", path));
  }
  const Expected<std::string> text = base::ReadWholeFile(path, kMaxCheckpoint);
  if (!text) return tl::unexpected<Error>(text.error());
  const auto records = base::ReadSealedText(*text, kCheckpointSchema);
  if (!records) return Damaged(path, records.error().message);
  const Json theirs = records->empty() || records->front().kind != kKey
                          ? Json()
                          : base::ParseJson(records->front().text);
  if (!theirs.is_object()) return Damaged(path, "line 2: no key");
  if (theirs != key) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the checkpoint '{}' belongs to another run: {} differs; give the same "
                            "options on the same device and build, or another --checkpoint",
                            path, DifferenceOf(key, theirs)));
  }
  Expected<Checkpoint> checkpoint = MeasuredSoFar(std::span(*records).subspan(1), operations);
  if (!checkpoint) return Damaged(path, checkpoint.error().message);
  return checkpoint;
}

class CheckpointWriter {
 public:
  CheckpointWriter(std::string path, const Json& key, const Origin& origin, double seconds)
      : path_(std::move(path)), seconds_(seconds), text_(kCheckpointSchema) {
    text_.Add(kKey, base::JsonText(key));
    text_.Add(kOrigin, base::JsonText(ToJson(origin)));
  }

  void Finished(const FunctionResult& result) {
    if (!path_.empty()) text_.Add(kFinished, base::JsonText(ToCheckpoint(result)));
  }

  // A checkpoint that cannot be written is reported once and does not stop the run.
  Expected<void> Write(const SweepProgress* current, bool now) {
    if (path_.empty() || broken_) return {};
    const auto time = std::chrono::steady_clock::now();
    if (!now && std::chrono::duration<double>(time - last_).count() < seconds_) return {};
    last_ = time;
    std::vector<base::SealedRecord> last;
    if (current != nullptr) {
      last.push_back({std::string(kCurrent), base::JsonText(ToCheckpoint(*current))});
    }
    Expected<void> written = base::WriteFileAtomically(path_, text_.Whole(last));
    broken_ = !written;
    return written;
  }

 private:
  std::string path_;
  double seconds_;
  base::SealedText text_;
  bool broken_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// If the machine has too little memory for a sweep, the operation is not measured; earlier results
// are kept.
FunctionResult SweepWithin(Device& device, const Operation& operation, const RunInfo& run,
                           const SweepHooks& hooks, SweepProgress from) {
  FunctionResult result;
  result.operation = operation;
  if (run.options.shard) result.part = PartState{.asked = true};
  try {
    return SweepOperation(device, operation, run.options, hooks, std::move(from));
  } catch (const std::bad_alloc&) {
    result.message = "out of memory; free some, or give fewer --threads";
  } catch (const std::system_error& error) {
    result.message = fmt::format("the machine failed: {}", error.what());
  }
  return result;
}

}  // namespace

Expected<Report> RunCampaign(Device& device, const RunInfo& run,
                             const std::vector<Operation>& operations,
                             const std::string& checkpoint_path, bool resume,
                             double checkpoint_seconds, const CampaignHooks& hooks) {
  Report report{.device = device.Description(), .run = run, .results = {}, .interrupted = false};
  Json key = KeyOf(report.device, run, operations);
  if (run.options.shard) key["shard"] = ShardText(*run.options.shard);
  Checkpoint checkpoint;
  if (resume) {
    Expected<Checkpoint> read = ReadCheckpoint(checkpoint_path, key, operations);
    if (!read) return tl::unexpected<Error>(read.error());
    checkpoint = std::move(*read);
    report.run.origin = checkpoint.origin;
  }
  CheckpointWriter writer(checkpoint_path, key, report.run.origin, checkpoint_seconds);
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
    SweepHooks sweep_hooks{.stop = hooks.stop,
                           .progress =
                               [&](const SweepProgress& progress) {
                                 if (hooks.progress) hooks.progress(progress);
                                 keep(writer.Write(&progress, false));
                               },
                           .searched = hooks.searched};
    SweepProgress from;
    if (i == checkpoint.finished.size() && checkpoint.current) from = *checkpoint.current;
    std::optional<SweepProgress> last;
    if (!checkpoint_path.empty()) {
      sweep_hooks.progress = [&, next = sweep_hooks.progress](const SweepProgress& progress) {
        last = progress;
        next(progress);
      };
    }
    FunctionResult result = SweepWithin(device, operations[i], run, sweep_hooks, std::move(from));
    // An interrupted operation is resumed from its last batch, not counted as finished.
    const bool searching = result.search && !result.search->complete;
    const bool complete = !stopped() || result.exhaustive ||
                          (last && last->next_item >= last->count && last->count > 0 && !searching);
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
