// A device that is a program of the user's, speaking docs/pipe-protocol.md.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "oracle/device.h"
#include "oracle/device_text.h"
#include "oracle/process.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Slot;

constexpr std::string_view kProtocol = "assay-pipe/1";
constexpr const char* kDocument = "docs/pipe-protocol.md";
constexpr int kShellNotFound = 127;

std::size_t ColumnBytes(const Slot& slot, std::size_t count) {
  return count * SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
}

std::string Shortened(std::string_view text) {
  constexpr std::size_t kLimit = 80;
  std::string shown;
  for (char c : text.substr(0, kLimit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", byte);
    }
  }
  return text.size() > kLimit ? shown + "..." : shown;
}

class PipeDevice : public Device {
 public:
  PipeDevice(std::string command, const Patience& patience)
      : command_(std::move(command)), patience_(patience) {}

  Expected<void> Start();
  const DeviceDescription& Description() const override { return description_; }
  Expected<void> Prepare(const TaskSpec& task) override;
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override;

 private:
  Expected<void> Greet();
  Expected<std::string> NextLine(double seconds);
  // The answer is not what the protocol asks for: names the line, ends the child.
  tl::unexpected<Error> Malformed(const std::string& expected, std::string_view line);
  // The answer "unsupported REASON" or "failed REASON"; nothing if `line` is neither.
  std::optional<Error> Refusal(std::string_view line) const;
  Expected<void> RunBinary(std::span<const ConstColumn> inputs, std::span<const Column> outputs,
                           std::size_t count);
  Expected<void> RunLines(std::span<const ConstColumn> inputs, std::span<const Column> outputs,
                          std::size_t count);

  std::string command_;
  Patience patience_;
  DeviceDescription description_;
  bool binary_ = false;
  std::size_t line_number_ = 0;  // of the child's output
  std::unique_ptr<Process> process_;
};

Expected<std::string> PipeDevice::NextLine(double seconds) {
  auto line = process_->ReadLine(seconds);
  if (line) ++line_number_;
  return line;
}

tl::unexpected<Error> PipeDevice::Malformed(const std::string& expected, std::string_view line) {
  return process_->Abort(
      fmt::format("broke the protocol ({}) in line {} of its output: {}, got '{}'", kDocument,
                  line_number_, expected, Shortened(line)));
}

std::optional<Error> PipeDevice::Refusal(std::string_view line) const {
  for (auto [word, kind] : {std::pair{"unsupported", ErrorKind::kUnsupported},
                            std::pair{"failed", ErrorKind::kDevice}}) {
    const std::string_view w = word;
    if (line == w) return Error{kind, fmt::format("{}: {}", description_.name, w)};
    if (line.starts_with(w) && line[w.size()] == ' ') {
      return Error{kind, fmt::format("{}: {}", description_.name, line.substr(w.size() + 1))};
    }
  }
  return std::nullopt;
}

Expected<void> PipeDevice::Start() {
  process_.reset();
  line_number_ = 0;
  auto process = Process::Start({"/bin/sh", "-c", command_}, command_);
  if (!process) return tl::unexpected<Error>(process.error());
  process_ = std::move(*process);
  process_->EndSoonAfter(patience_.stop);
  auto greeted = Greet();
  if (!greeted && process_->ExitStatus() == kShellNotFound) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--pipe '{}': the shell found no such command; give one that can be "
                            "run from this folder ({})",
                            command_, Shortened(process_->LastWords())));
  }
  return greeted;
}

Expected<void> PipeDevice::Greet() {
  auto line = NextLine(patience_.prepare_seconds);
  if (!line) return tl::unexpected<Error>(line.error());
  const std::vector<std::string_view> words = text::Words(*line);
  if (words.size() != 2 || words[0] != kProtocol || (words[1] != "line" && words[1] != "binary")) {
    return Malformed(fmt::format("expected '{0} line' or '{0} binary'", kProtocol), *line);
  }
  binary_ = words[1] == "binary";
  DeviceDescription description;
  description.kind = "pipe";
  description.name = command_;
  description.supports[static_cast<int>(numerics::Format::kFloat)] = false;
  while (true) {
    line = NextLine(patience_.prepare_seconds);
    if (!line) return tl::unexpected<Error>(line.error());
    if (*line == "ready") break;
    if (auto applied = text::ApplyDeclaration(*line, &description); !applied) {
      return Malformed(applied.error().message + ", or 'ready'", *line);
    }
  }
  description_ = std::move(description);
  return {};
}

Expected<void> PipeDevice::Prepare(const TaskSpec& task) {
  if (process_ == nullptr || !process_->Alive()) {
    if (auto started = Start(); !started) return started;
  }
  const numerics::Operation& operation = task.operation;
  const bool declared = operation.kind != numerics::OperationKind::kBuiltin ||
                        description_.supports[static_cast<int>(operation.format)];
  if (!declared) {
    return Fail(ErrorKind::kUnsupported, fmt::format("{} declares no format {}", description_.name,
                                                     Traits(operation.format).name));
  }
  process_->Queue(fmt::format("task {}{}{}\n", text::TaskText(operation, task.math),
                              task.build_options.empty() ? "" : " ", task.build_options));
  const auto line = NextLine(patience_.prepare_seconds);
  if (!line) return tl::unexpected<Error>(line.error());
  if (*line == "ok") return {};
  if (auto refusal = Refusal(*line)) return tl::unexpected<Error>(std::move(*refusal));
  return Malformed("expected 'ok', 'unsupported REASON' or 'failed REASON'", *line);
}

Expected<void> PipeDevice::RunBinary(std::span<const ConstColumn> inputs,
                                     std::span<const Column> outputs, std::size_t count) {
  for (const ConstColumn& column : inputs) {
    process_->Queue(
        std::span(static_cast<const std::byte*>(column.data), ColumnBytes(column.slot, count)));
  }
  const auto line = NextLine(patience_.answer_seconds);
  if (!line) return tl::unexpected<Error>(line.error());
  if (auto refusal = Refusal(*line)) return tl::unexpected<Error>(std::move(*refusal));
  if (*line != "ok") return Malformed("expected 'ok' or 'failed REASON'", *line);
  for (const Column& column : outputs) {
    auto read =
        process_->Read(column.data, ColumnBytes(column.slot, count), patience_.answer_seconds);
    if (!read) return read;
  }
  return {};
}

Expected<void> PipeDevice::RunLines(std::span<const ConstColumn> inputs,
                                    std::span<const Column> outputs, std::size_t count) {
  // All of them at once: the program may answer line by line or read everything first.
  std::string lines;
  for (std::size_t item = 0; item < count; ++item) {
    text::AppendItem(inputs, item, &lines);
    lines += '\n';
  }
  process_->Queue(lines);
  for (std::size_t item = 0; item < count; ++item) {
    const auto line = NextLine(patience_.answer_seconds);
    if (!line) return tl::unexpected<Error>(line.error());
    if (auto parsed = text::ParseItem(*line, outputs, item); !parsed) {
      // A refusal stands in place of the first answer only.
      auto refusal = item == 0 ? Refusal(*line) : std::nullopt;
      if (!refusal) return Malformed(parsed.error().message, *line);
      return tl::unexpected<Error>(std::move(*refusal));
    }
  }
  return {};
}

Expected<void> PipeDevice::Run(int width, std::span<const ConstColumn> inputs,
                               std::span<const Column> outputs, std::size_t count) {
  if (process_ == nullptr || !process_->Alive()) {
    return Fail(ErrorKind::kDevice, fmt::format("`{}` is gone; prepare the task again", command_));
  }
  process_->Queue(fmt::format("run {} {}\n", width, count));
  return binary_ ? RunBinary(inputs, outputs, count) : RunLines(inputs, outputs, count);
}

}  // namespace

Expected<std::unique_ptr<Device>> OpenPipe(const std::string& command, const Patience& patience) {
  if (text::Words(command).empty()) {
    return Fail(ErrorKind::kUsage,
                "--pipe: the command is empty; give one that speaks "
                "docs/pipe-protocol.md");
  }
  auto device = std::make_unique<PipeDevice>(command, patience);
  if (auto started = device->Start(); !started) return tl::unexpected<Error>(started.error());
  return device;
}

}  // namespace assay::oracle
