// A device that is a program of the user's, speaking docs/pipe-protocol.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

#include "base/process.h"
#include "oracle/devices/device.h"
#include "oracle/devices/identity.h"
#include "oracle/devices/text.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Slot;

constexpr std::string_view kProtocols[] = {"assay-pipe/1", "assay-pipe/2"};
constexpr const char* kDocument = "docs/pipe-protocol.md";
constexpr int kShellNotFound = 127;
constexpr std::size_t kMaxGreeting = std::size_t{1} << 16;

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
  Expected<void> EndTask() override;
  std::vector<std::string> TakeNotes() override { return std::exchange(notes_, {}); }

 private:
  Expected<void> Restart();
  Expected<void> Greet();
  Expected<DeviceDescription> ReadGreeting();
  Expected<void> Announce(const TaskSpec& task);
  Expected<std::string> NextLine(double seconds);
  // The answer is not what the protocol asks for: names the line, ends the child.
  tl::unexpected<Error> Malformed(const std::string& expected, std::string_view line);
  // The answer "unsupported REASON" or "failed REASON"; nothing if `line` is neither.
  std::optional<Error> Refusal(std::string_view line) const;
  // Version 2: "WORD ID" with the number of the request in hand.  Version 1: "WORD".
  std::string Numbered(std::string_view word) const {
    return version_ == 1 ? std::string(word) : fmt::format("{} {}", word, last_id_);
  }
  // A note is one line: the program's last words are left out.
  void Note(std::string_view what, const Error& why) {
    const std::string_view message = why.message;
    notes_.push_back(fmt::format("{}: {}", what, message.substr(0, message.find('\n'))));
  }
  Expected<void> RunBinary(std::span<const ConstColumn> inputs, std::span<const Column> outputs,
                           std::size_t count);
  Expected<void> RunLines(std::span<const ConstColumn> inputs, std::span<const Column> outputs,
                          std::size_t count);

  std::string command_;
  Patience patience_;
  DeviceDescription description_;
  std::string declared_;  // the first greeting, as declarations
  std::vector<std::string> notes_;
  int version_ = 1;
  bool binary_ = false;
  bool used_ = false;            // the child has been given a task
  std::uint64_t last_id_ = 0;    // of the requests, over all lives of the child
  std::size_t line_number_ = 0;  // of the child's output
  std::unique_ptr<base::Process> process_;
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
    const std::string w = Numbered(word);
    if (line == w) return Error{kind, fmt::format("{}: {}", description_.name, word)};
    if (line.starts_with(w) && line[w.size()] == ' ') {
      return Error{kind, fmt::format("{}: {}", description_.name, line.substr(w.size() + 1))};
    }
  }
  return std::nullopt;
}

Expected<void> PipeDevice::Start() {
  process_.reset();
  line_number_ = 0;
  used_ = false;
  auto process = base::Process::Start({"/bin/sh", "-c", command_}, command_);
  if (!process) return tl::unexpected<Error>(process.error());
  process_ = std::move(*process);
  process_->EndSoonAfter(patience_.stop);
  process_->LimitTotal(patience_.prepare_seconds);
  auto greeted = Greet();
  if (!greeted && process_->ExitStatus() == kShellNotFound) {
    std::string words = process_->LastWords();
    words.resize(words.find_last_not_of('\n') + 1);
    return Fail(ErrorKind::kUsage,
                fmt::format("--pipe '{}': the shell found no such command; give one that can be "
                            "run from this folder ({})",
                            command_, Shortened(words)));
  }
  if (greeted) process_->LimitTotal(-1);
  return greeted;
}

// If a file existed when the run began and is missing now, it is an error of the machine, not of
// the user.
Expected<void> PipeDevice::Restart() {
  auto started = Start();
  if (started) return started;
  return Fail(ErrorKind::kDevice,
              fmt::format("cannot be started again: {}", started.error().message));
}

Expected<DeviceDescription> PipeDevice::ReadGreeting() {
  auto line = NextLine(patience_.prepare_seconds);
  if (!line) return tl::unexpected<Error>(line.error());
  const std::vector<std::string_view> words = text::Words(*line);
  const auto protocol = words.size() != 2
                            ? std::end(kProtocols)
                            : std::find(std::begin(kProtocols), std::end(kProtocols), words[0]);
  if (protocol == std::end(kProtocols) || (words[1] != "line" && words[1] != "binary")) {
    return Malformed(fmt::format("expected '{0} line', '{0} binary', '{1} line' or '{1} binary'",
                                 kProtocols[0], kProtocols[1]),
                     *line);
  }
  version_ = static_cast<int>(protocol - kProtocols) + 1;
  binary_ = words[1] == "binary";
  DeviceDescription description;
  description.kind = "pipe";
  description.name = command_;
  description.identity = IdentityOfCommand(command_);
  description.supports[static_cast<int>(numerics::Format::kFloat)] = false;
  for (std::size_t size = 0; size <= kMaxGreeting;) {
    line = NextLine(patience_.prepare_seconds);
    if (!line) return tl::unexpected<Error>(line.error());
    if (*line == "ready") return description;
    size += line->size() + 1;
    if (auto applied = text::ApplyDeclaration(*line, &description); !applied) {
      return Malformed(applied.error().message + ", or 'ready'", *line);
    }
  }
  return process_->Abort(
      fmt::format("sent a greeting of more than {} bytes without 'ready'", kMaxGreeting));
}

Expected<void> PipeDevice::Greet() {
  auto description = ReadGreeting();
  if (!description) return tl::unexpected<Error>(description.error());
  const std::string declared =
      fmt::format("assay-pipe/{} {}, {}", version_, binary_ ? "binary" : "line",
                  fmt::join(text::Declarations(*description), ", "));
  if (!declared_.empty() && declared != declared_) {
    return process_->Abort(fmt::format(
        "is another device since it was started again: it declares '{}', and declared '{}'",
        declared, declared_));
  }
  declared_ = declared;
  description_ = std::move(*description);
  return {};
}

Expected<void> PipeDevice::Announce(const TaskSpec& task) {
  ++last_id_;
  process_->Queue(fmt::format("{} {}{}{}\n", Numbered("task"),
                              text::TaskText(task.operation, task.math),
                              task.build_options.empty() ? "" : " ", task.build_options));
  const auto line = NextLine(patience_.prepare_seconds);
  if (!line) return tl::unexpected<Error>(line.error());
  if (*line == Numbered("ok")) return process_->ExpectSilence();
  if (auto refusal = Refusal(*line)) return tl::unexpected<Error>(std::move(*refusal));
  return Malformed(fmt::format("expected '{}', '{} REASON' or '{} REASON'", Numbered("ok"),
                               Numbered("unsupported"), Numbered("failed")),
                   *line);
}

Expected<void> PipeDevice::Prepare(const TaskSpec& task) {
  // Data that come now, and an exit that is noticed now, belong to the task before.
  if (process_ != nullptr && process_->Alive()) {
    if (auto silent = process_->ExpectSilence(); !silent) {
      Note("started again after the function before", silent.error());
    }
  }
  if (process_ == nullptr || !process_->Alive()) {
    if (auto started = Restart(); !started) return started;
  }
  const numerics::Operation& operation = task.operation;
  const bool declared = operation.kind != numerics::OperationKind::kBuiltin ||
                        description_.supports[static_cast<int>(operation.format)];
  if (!declared) {
    return Fail(ErrorKind::kUnsupported, fmt::format("{} declares no format {}", description_.name,
                                                     Traits(operation.format).name));
  }
  const bool was_used = std::exchange(used_, true);
  const auto start = std::chrono::steady_clock::now();
  auto prepared = Announce(task);
  const bool hung = std::chrono::steady_clock::now() - start >=
                    std::chrono::duration<double>(patience_.prepare_seconds);
  if (prepared || process_->Alive() || !was_used || hung) return prepared;
  Note("started again before this function", prepared.error());
  if (auto started = Restart(); !started) return started;
  used_ = true;
  return Announce(task);
}

// The first version of the protocol has no numbers: data that arrive after the next task begins
// would be taken for its answer.
Expected<void> PipeDevice::EndTask() {
  constexpr double kSurplusSeconds = 0.01;
  if (process_ == nullptr) return {};
  return process_->ExpectSilence(version_ == 1 ? kSurplusSeconds : 0);
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
  const std::string head = version_ == 1 ? "ok" : fmt::format("{} {}", Numbered("answer"), count);
  if (*line != head) {
    return Malformed(fmt::format("expected '{}' or '{} REASON'", head, Numbered("failed")), *line);
  }
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
  if (version_ > 1) {
    const auto line = NextLine(patience_.answer_seconds);
    if (!line) return tl::unexpected<Error>(line.error());
    if (auto refusal = Refusal(*line)) return tl::unexpected<Error>(std::move(*refusal));
    const std::string head = fmt::format("{} {}", Numbered("answer"), count);
    if (*line != head) {
      return Malformed(fmt::format("expected '{}' or '{} REASON'", head, Numbered("failed")),
                       *line);
    }
  }
  for (std::size_t item = 0; item < count; ++item) {
    const auto line = NextLine(patience_.answer_seconds);
    if (!line) return tl::unexpected<Error>(line.error());
    if (auto parsed = text::ParseItem(*line, outputs, item); !parsed) {
      // A refusal stands in place of the first answer only.
      auto refusal = item == 0 && version_ == 1 ? Refusal(*line) : std::nullopt;
      if (!refusal) {
        return Malformed(
            fmt::format("answer {} of {}: {}", item + 1, count, parsed.error().message), *line);
      }
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
  if (auto silent = process_->ExpectSilence(); !silent) return silent;
  ++last_id_;
  process_->Queue(fmt::format("{} {} {}\n", Numbered("run"), width, count));
  auto run = binary_ ? RunBinary(inputs, outputs, count) : RunLines(inputs, outputs, count);
  if (!run) return run;
  if (version_ > 1) {
    const auto line = NextLine(patience_.answer_seconds);
    if (!line) return tl::unexpected<Error>(line.error());
    if (*line != Numbered("end")) {
      return Malformed(fmt::format("expected '{}' after {} answers", Numbered("end"), count),
                       *line);
    }
  }
  return process_->ExpectSilence();
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
