// For the tests of the sweep and the campaign: a device in this process that answers correctly,
// except where a test changes the answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "numerics/evaluate.h"
#include "oracle/devices/device.h"

namespace assay::oracle {

class TestingDevice : public Device {
 public:
  // What the device answers instead of `right` (result `result` of an item with these operands).
  using Change = std::function<numerics::Bits(std::span<const numerics::Bits> args, int result,
                                              numerics::Bits right)>;

  explicit TestingDevice(Change change = nullptr) : change_(std::move(change)) {
    description_.kind = "testing";
    description_.name = "in process";
    for (bool& supported : description_.supports) supported = true;
  }

  // Set by tests.
  DeviceDescription& MutableDescription() { return description_; }
  std::optional<Error> prepare_error;
  std::optional<Error> run_error;  // from call number `run_error_at` on
  int run_error_at = 0;
  std::set<int> broken_widths;                                        // Run fails in these
  std::function<void()> on_run;                                       // at every call of Run
  std::optional<std::vector<std::vector<numerics::Bits>>> recording;  // its own inputs

  // Seen by tests.
  int prepared = 0;
  int runs = 0;
  std::vector<int> prepared_widths;

  const DeviceDescription& Description() const override { return description_; }

  Expected<void> Prepare(const TaskSpec& task) override {
    ++prepared;
    prepared_widths = task.widths;
    if (prepare_error) return tl::unexpected<Error>(*prepare_error);
    operation_ = task.operation;
    evaluator_ = std::make_unique<numerics::BatchEvaluator>(task.operation);
    return {};
  }

  Expected<void> Run(int width, std::span<const numerics::ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override {
    if (on_run) on_run();
    if (broken_widths.contains(width)) {
      return Fail(ErrorKind::kDevice, "the driver died in width " + std::to_string(width));
    }
    if (run_error && runs >= run_error_at) return tl::unexpected<Error>(*run_error);
    ++runs;
    const auto results = static_cast<std::size_t>(operation_.ResultCount());
    std::vector<numerics::Exact> exact(count * results);
    evaluator_->Evaluate(inputs, 0, count, exact.data());
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<numerics::Bits> args;
      for (const numerics::ConstColumn& column : inputs) {
        const auto n = static_cast<std::size_t>(column.slot.components);
        for (std::size_t c = 0; c < n; ++c) {
          args.push_back(LoadElement(column.slot.type, column.data, i * n + c));
        }
      }
      std::size_t r = 0;
      for (const Column& column : outputs) {
        const auto n = static_cast<std::size_t>(column.slot.components);
        for (std::size_t c = 0; c < n; ++c, ++r) {
          const numerics::Exact& truth = exact[i * results + r];
          numerics::Bits bits =
              IsFloating(column.slot.type)
                  ? Round(truth, FormatOf(column.slot.type), numerics::Rounding::kRte)
                  : truth.below;
          if (change_) bits = change_(args, static_cast<int>(r), bits);
          StoreElement(column.slot.type, column.data, i * n + c, bits);
        }
      }
    }
    return {};
  }

  std::optional<std::size_t> RecordedCount() const override {
    return recording ? std::optional(recording->size()) : std::nullopt;
  }

  Expected<void> RecordedInputs(std::span<const Column> columns) const override {
    for (std::size_t i = 0; i < recording->size(); ++i) {
      std::size_t at = 0;
      for (const Column& column : columns) {
        const auto n = static_cast<std::size_t>(column.slot.components);
        for (std::size_t c = 0; c < n; ++c) {
          StoreElement(column.slot.type, column.data, i * n + c, (*recording)[i][at++]);
        }
      }
    }
    return {};
  }

 private:
  Change change_;
  DeviceDescription description_;
  numerics::Operation operation_;
  std::unique_ptr<numerics::BatchEvaluator> evaluator_;
};

}  // namespace assay::oracle
