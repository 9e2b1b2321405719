#include <fmt/format.h>

#include <algorithm>

#include "oracle/devices/recorded.h"
#include "oracle/devices/text.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;

class RecordingDevice : public Device {
 public:
  RecordingDevice(std::unique_ptr<Device> device, std::unique_ptr<RecordingWriter> writer)
      : device_(std::move(device)), writer_(std::move(writer)) {}

  const DeviceDescription& Description() const override { return device_->Description(); }
  Expected<void> Prepare(const TaskSpec& task) override {
    task_ = task;
    return device_->Prepare(task);
  }
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override {
    if (auto run = device_->Run(width, inputs, outputs, count); !run) return run;
    std::vector<ConstColumn> answers;
    for (const Column& column : outputs) answers.push_back({column.slot, column.data});
    return writer_->Append(task_, width, inputs, answers, count);
  }
  Expected<void> RunAgain(int width, std::span<const ConstColumn> inputs,
                          std::span<const Column> outputs, std::size_t count) override {
    return device_->RunAgain(width, inputs, outputs, count);
  }
  Expected<void> EndTask() override { return device_->EndTask(); }
  std::vector<std::string> TakeNotes() override { return device_->TakeNotes(); }
  std::vector<int> WidthsFor(const numerics::Operation& operation) const override {
    return device_->WidthsFor(operation);
  }
  std::vector<std::string> Caveats() const override { return device_->Caveats(); }
  Expected<void> Finish() override {
    auto finished = device_->Finish();
    auto closed = writer_->Close();
    return finished ? closed : finished;
  }
  std::optional<std::size_t> RecordedCount() const override { return device_->RecordedCount(); }
  Expected<void> RecordedInputs(std::span<const Column> columns) const override {
    return device_->RecordedInputs(columns);
  }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<RecordingWriter> writer_;
  TaskSpec task_;
};

}  // namespace

Expected<std::unique_ptr<RecordingWriter>> RecordingWriter::Create(
    const std::string& path, const DeviceDescription& description) {
  auto file = base::FileWriter::Create(path);
  if (!file) return tl::unexpected<Error>(file.error());
  std::unique_ptr<RecordingWriter> writer(new RecordingWriter);
  writer->file_ = std::move(*file);
  std::string header = "assay-recorded/1\n";
  for (const std::string& line : text::Declarations(description)) {
    fmt::format_to(std::back_inserter(header), "device {}\n", line);
  }
  if (auto put = writer->Put(header); !put) return tl::unexpected<Error>(put.error());
  return writer;
}

RecordingWriter::~RecordingWriter() = default;

Expected<void> RecordingWriter::Put(const std::string& text) {
  if (file_ == nullptr) return Fail(ErrorKind::kInternal, "the recording is closed");
  digest_.Add(text);
  lines_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return file_->Append(text);
}

Expected<void> RecordingWriter::Append(const TaskSpec& task, int width,
                                       std::span<const ConstColumn> inputs,
                                       std::span<const ConstColumn> outputs, std::size_t count) {
  std::string text = fmt::format("task {} {}\n", text::TaskText(task.operation, task.math), width);
  for (std::size_t item = 0; item < count; ++item) {
    text::AppendItem(inputs, item, &text);
    text += " -> ";
    text::AppendItem(outputs, item, &text);
    text += '\n';
    constexpr std::size_t kFlush = std::size_t{1} << 20;
    if (text.size() < kFlush) continue;
    if (auto put = Put(text); !put) return put;
    text.clear();
  }
  fmt::format_to(std::back_inserter(text), "end {}\n", count);
  return Put(text);
}

Expected<void> RecordingWriter::Close() {
  if (file_ == nullptr) return {};
  const std::unique_ptr<base::FileWriter> file = std::move(file_);
  if (auto put = file->Append(SealLine(lines_, digest_.Finish()) + "\n"); !put) return put;
  return file->Commit();
}

std::string SealLine(std::size_t lines, const std::string& digest) {
  return fmt::format("{}{} {}", kSealWord, lines, digest);
}

Expected<std::unique_ptr<Device>> OpenRecording(std::unique_ptr<Device> device,
                                                const std::string& path) {
  auto writer = RecordingWriter::Create(path, device->Description());
  if (!writer) return tl::unexpected<Error>(writer.error());
  return std::make_unique<RecordingDevice>(std::move(device), std::move(*writer));
}

}  // namespace assay::oracle
