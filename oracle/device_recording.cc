#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "oracle/device_recorded.h"
#include "oracle/device_text.h"

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
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    return Fail(ErrorKind::kUsage,
                fmt::format("cannot write the recording {}: {}", path, std::strerror(errno)));
  }
  std::unique_ptr<RecordingWriter> writer(new RecordingWriter(path, file));
  std::string header = "assay-recorded/1\n";
  for (const std::string& line : text::Declarations(description)) {
    fmt::format_to(std::back_inserter(header), "device {}\n", line);
  }
  if (auto put = writer->Put(header); !put) return tl::unexpected<Error>(put.error());
  return writer;
}

RecordingWriter::~RecordingWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

Expected<void> RecordingWriter::Put(const std::string& text) {
  const bool open = file_ != nullptr;
  if (open && std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("cannot write the recording {}: {}; free some space and record again",
                          path_, open ? std::strerror(errno) : "it is closed"));
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
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) == 0) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("cannot write the recording {}: {}; free some space and record again",
                          path_, std::strerror(errno)));
}

Expected<std::unique_ptr<Device>> OpenRecording(std::unique_ptr<Device> device,
                                                const std::string& path) {
  auto writer = RecordingWriter::Create(path, device->Description());
  if (!writer) return tl::unexpected<Error>(writer.error());
  return std::make_unique<RecordingDevice>(std::move(device), std::move(*writer));
}

}  // namespace assay::oracle
