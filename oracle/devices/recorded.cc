// A file of recorded answers as a device.
//
// The file is read through once when it is opened, for its structure; the items of a task are read
// when the task is prepared.
#include "oracle/devices/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "oracle/devices/device.h"
#include "oracle/devices/text.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Slot;

constexpr std::string_view kHeader = "assay-recorded/1";

// One "task ... end" of the file.
struct Section {
  TaskSpec task;             // with one width
  std::uint64_t offset = 0;  // of its first item
  std::size_t first_line = 0;
  std::size_t count = 0;
};

std::size_t ItemBytes(const Slot& slot) {
  return SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
}

// Columns of its own memory.
struct Table {
  std::vector<Slot> slots;
  std::vector<std::vector<std::byte>> data;

  void Reset(std::vector<Slot> with, std::size_t count) {
    slots = std::move(with);
    data.clear();
    for (const Slot& slot : slots) data.emplace_back(ItemBytes(slot) * count);
  }
  std::vector<Column> Columns() {
    std::vector<Column> columns;
    for (std::size_t k = 0; k < slots.size(); ++k) columns.push_back({slots[k], data[k].data()});
    return columns;
  }
};

// The answers in one width.
struct Answers {
  std::size_t count = 0;
  Table inputs, outputs;
  std::unordered_map<std::string, std::size_t> by_arguments;  // built when first needed
};

class RecordedDevice : public Device {
 public:
  explicit RecordedDevice(std::string path) : path_(std::move(path)) {}

  Expected<void> Open();
  const DeviceDescription& Description() const override { return description_; }
  std::vector<int> WidthsFor(const numerics::Operation& operation) const override;
  Expected<void> Prepare(const TaskSpec& task) override;
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override;
  std::optional<std::size_t> RecordedCount() const override { return Reference().count; }
  Expected<void> RecordedInputs(std::span<const Column> columns) const override;
  std::vector<std::string> Caveats() const override;

 private:
  tl::unexpected<Error> BadLine(std::size_t line, const std::string& why,
                                std::string_view text) const;
  Expected<void> OpenSection(std::string_view words, std::size_t line, std::uint64_t offset);
  Expected<Answers> Load(const TaskSpec& task, int width) const;
  Expected<void> LoadSection(const Section& section, std::size_t begin, Answers* answers) const;
  Expected<void> ReadLine(std::string_view line, std::size_t number);
  Expected<void> CheckSeal(std::string_view line, std::size_t number, const std::string& digest);
  Expected<void> CheckEnd() const;
  std::string Available(const TaskSpec& task, bool same_operation) const;
  // The answers whose inputs the recording offers: those of the first width.
  const Answers& Reference() const;
  std::optional<std::size_t> FindItem(Answers* answers, std::span<const ConstColumn> inputs,
                                      std::size_t item, std::size_t guess) const;

  std::string path_;
  std::unique_ptr<base::LineReader> file_;
  bool inside_ = false;  // of a section, while the file is read through
  bool sealed_ = false;
  DeviceDescription description_;
  std::vector<Section> sections_;
  TaskSpec task_;
  std::map<int, Answers> answers_;
};

tl::unexpected<Error> RecordedDevice::BadLine(std::size_t line, const std::string& why,
                                              std::string_view text) const {
  constexpr std::size_t kLimit = 80;
  return Fail(ErrorKind::kUsage,
              fmt::format("{}:{}: {}, got '{}'; the format is in docs/pipe-protocol.md", path_,
                          line, why, text.substr(0, kLimit)));
}

Expected<void> RecordedDevice::OpenSection(std::string_view words, std::size_t line,
                                           std::uint64_t offset) {
  auto task = text::ParseTask(words);
  if (!task) return BadLine(line, task.error().message, words);
  const std::vector<std::string_view> parts = text::Words(words);
  int width = 0;
  if (parts.size() == 4) {
    std::from_chars(parts[3].data(), parts[3].data() + parts[3].size(), width);
  }
  if (width < 1 || width > 16) {
    return BadLine(line, "expected 'task NAME FORMAT MATH WIDTH'", words);
  }
  task->widths = {width};
  sections_.push_back({std::move(*task), offset, line + 1, 0});
  return {};
}

// A line of the file that is no seal.
Expected<void> RecordedDevice::ReadLine(std::string_view line, std::size_t number) {
  if (inside_ && line.starts_with("end ")) {
    if (line.substr(4) != std::to_string(sections_.back().count)) {
      return BadLine(number, fmt::format("expected 'end {}'", sections_.back().count), line);
    }
    inside_ = false;
  } else if (inside_) {
    ++sections_.back().count;
  } else if (line.starts_with("task ")) {
    inside_ = true;
    return OpenSection(line.substr(5), number, file_->Offset());
  } else if (line.starts_with("device ")) {
    if (auto applied = text::ApplyDeclaration(line.substr(7), &description_); !applied) {
      return BadLine(number, applied.error().message, line);
    }
  } else if (!line.empty() && line[0] != '#') {
    return BadLine(number, "expected 'device ...', 'task ...' or a comment (#)", line);
  }
  return {};
}

// `digest` is that of what stands before the line.
Expected<void> RecordedDevice::CheckSeal(std::string_view line, std::size_t number,
                                         const std::string& digest) {
  sealed_ = true;
  if (line == SealLine(number - 1, digest) && file_->EndedByNewline()) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("{}:{}: the recording was changed after it was made: its seal is another "
                          "than that of its {} lines; record it again, or remove the line with the "
                          "seal if the change is meant",
                          path_, number, number - 1));
}

Expected<void> RecordedDevice::CheckEnd() const {
  if (!inside_) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: ends inside the answers of {} {} (no 'end' line after line {}): "
                          "the file is truncated, record it again",
                          path_, sections_.back().task.operation.Name(),
                          sections_.back().task.operation.FormatName(),
                          sections_.back().first_line + sections_.back().count - 1));
}

Expected<void> RecordedDevice::Open() {
  auto file = base::LineReader::Open(path_);
  if (!file) return Fail(file.error().kind, "--recorded " + file.error().message);
  file_ = std::move(*file);
  std::string line;
  base::Digest digest;
  description_.supports[static_cast<int>(numerics::Format::kFloat)] = false;
  for (std::size_t number = 1;; ++number) {
    const Expected<bool> taken = file_->Next(&line);
    if (!taken) return tl::unexpected<Error>(taken.error());
    if (!*taken && number > 1) break;
    if (sealed_) return BadLine(number, "nothing may follow the seal", line);
    if (!inside_ && line.starts_with(kSealWord)) {
      if (auto good = CheckSeal(line, number, base::Digest(digest).Finish()); !good) return good;
    } else if (number == 1 && line != kHeader) {
      return BadLine(1, fmt::format("expected the line '{}'", kHeader), line);
    } else if (number > 1) {
      if (auto read = ReadLine(line, number); !read) return read;
    }
    digest.Add(line).Add(file_->EndedByNewline() ? "\n" : "");
  }
  if (auto ended = CheckEnd(); !ended) return ended;
  std::set<int> widths;
  for (const Section& section : sections_) widths.insert(section.task.widths[0]);
  if (widths.empty()) widths.insert(1);  // nothing is recorded, which is said when it is asked for
  description_.widths = {widths.begin(), widths.end()};
  description_.kind = "recorded";
  if (description_.name.empty()) description_.name = path_;
  description_.identity = {
      {"recording", fmt::format("{} bytes, sha256 {}, {}", file_->Offset(), digest.Finish(),
                                sealed_ ? "sealed" : "not sealed")}};
  return {};
}

std::vector<std::string> RecordedDevice::Caveats() const {
  if (sealed_) return {};
  return {
      fmt::format("the recording '{}' has no seal: nothing says whether all of it is there, and "
                  "as it was recorded",
                  path_)};
}

// "sin float, cos float" or, for one operation, "width 1, width 4".
std::string RecordedDevice::Available(const TaskSpec& task, bool same_operation) const {
  std::set<std::string> seen;
  std::string list;
  for (const Section& section : sections_) {
    const bool same = section.task.operation == task.operation && section.task.math == task.math;
    if (same_operation && !same) continue;
    const std::string entry =
        same_operation
            ? fmt::format("width {}", section.task.widths[0])
            : fmt::format("{} {}{}", section.task.operation.Name(),
                          section.task.operation.FormatName(),
                          section.task.math == MathMode::kDefault
                              ? ""
                              : fmt::format(" ({})", text::MathModeName(section.task.math)));
    if (!seen.insert(entry).second) continue;
    constexpr std::size_t kShown = 20;
    if (seen.size() <= kShown) list += (list.empty() ? "" : ", ") + entry;
    if (seen.size() == kShown + 1) list += ", ...";
  }
  return list.empty() ? "nothing" : list;
}

Expected<void> RecordedDevice::LoadSection(const Section& section, std::size_t begin,
                                           Answers* answers) const {
  const std::vector<Column> inputs = answers->inputs.Columns();
  const std::vector<Column> outputs = answers->outputs.Columns();
  if (auto found = file_->Seek(section.offset); !found) return found;
  std::string line;
  for (std::size_t k = 0; k < section.count; ++k) {
    const Expected<bool> taken = file_->Next(&line);
    if (!taken) return tl::unexpected<Error>(taken.error());
    const std::string_view view = line;
    const std::size_t arrow = view.find(" -> ");
    if (arrow == std::string_view::npos) {
      return BadLine(section.first_line + k, "expected 'ARGUMENTS -> RESULTS'", view);
    }
    auto parsed = text::ParseItem(view.substr(0, arrow), inputs, begin + k);
    if (parsed) parsed = text::ParseItem(view.substr(arrow + 4), outputs, begin + k);
    if (!parsed) return BadLine(section.first_line + k, parsed.error().message, view);
  }
  return {};
}

Expected<Answers> RecordedDevice::Load(const TaskSpec& task, int width) const {
  auto matches = [&](const Section& section) {
    return section.task.operation == task.operation && section.task.math == task.math &&
           section.task.widths[0] == width;
  };
  Answers answers;
  for (const Section& section : sections_) answers.count += matches(section) ? section.count : 0;
  answers.inputs.Reset(task.operation.Inputs(), answers.count);
  answers.outputs.Reset(task.operation.Outputs(), answers.count);
  if (file_->HasChanged()) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: the file was written to while it was used; begin again", path_));
  }
  std::size_t begin = 0;
  for (const Section& section : sections_) {
    if (!matches(section)) continue;
    if (auto loaded = LoadSection(section, begin, &answers); !loaded) {
      return tl::unexpected<Error>(loaded.error());
    }
    begin += section.count;
  }
  return answers;
}

std::vector<int> RecordedDevice::WidthsFor(const numerics::Operation& operation) const {
  std::set<int> widths;
  for (const Section& section : sections_) {
    if (section.task.operation == operation) widths.insert(section.task.widths[0]);
  }
  return {widths.begin(), widths.end()};
}

Expected<void> RecordedDevice::Prepare(const TaskSpec& task) {
  answers_.clear();
  task_ = task;
  std::set<int> recorded;
  for (const Section& section : sections_) {
    if (section.task.operation == task.operation && section.task.math == task.math) {
      recorded.insert(section.task.widths[0]);
    }
  }
  const std::string what = fmt::format(
      "{} {}{}", task.operation.Name(), task.operation.FormatName(),
      task.math == MathMode::kDefault ? "" : fmt::format(" ({})", text::MathModeName(task.math)));
  if (recorded.empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: the file has no answers for {}; it has: {}", path_, what,
                            Available(task, false)));
  }
  for (int width : task.widths) {
    if (!recorded.contains(width)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: the file has no answers for {} in width {}; it has: {} "
                              "(choose with --width)",
                              path_, what, width, Available(task, true)));
    }
    auto answers = Load(task, width);
    if (!answers) return tl::unexpected<Error>(answers.error());
    answers_[width] = std::move(*answers);
  }
  return {};
}

const Answers& RecordedDevice::Reference() const {
  static const Answers kNone;
  if (answers_.empty()) return kNone;
  return answers_.at(task_.widths.front());
}

Expected<void> RecordedDevice::RecordedInputs(std::span<const Column> columns) const {
  const Answers& reference = Reference();
  for (std::size_t k = 0; k < std::min(columns.size(), reference.inputs.data.size()); ++k) {
    const std::vector<std::byte>& data = reference.inputs.data[k];
    std::memcpy(columns[k].data, data.data(), data.size());
  }
  return {};
}

// The recorded item with these arguments.  A caller usually asks in the file's own order, so the
// one after the last answer is looked at first.
std::optional<std::size_t> RecordedDevice::FindItem(Answers* answers,
                                                    std::span<const ConstColumn> inputs,
                                                    std::size_t item, std::size_t guess) const {
  auto same = [&](std::size_t recorded) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::size_t bytes = ItemBytes(inputs[k].slot);
      if (std::memcmp(static_cast<const std::byte*>(inputs[k].data) + item * bytes,
                      answers->inputs.data[k].data() + recorded * bytes, bytes) != 0) {
        return false;
      }
    }
    return true;
  };
  if (guess < answers->count && same(guess)) return guess;
  auto key = [](auto&& columns, std::size_t i) {
    std::string bytes;
    for (const auto& column : columns) {
      const std::size_t size = ItemBytes(column.slot);
      bytes.append(static_cast<const char*>(column.data) + i * size, size);
    }
    return bytes;
  };
  if (answers->by_arguments.empty()) {
    const std::vector<Column> columns = answers->inputs.Columns();
    for (std::size_t i = 0; i < answers->count; ++i) {
      answers->by_arguments.emplace(key(columns, i), i);
    }
  }
  const auto found = answers->by_arguments.find(key(inputs, item));
  if (found == answers->by_arguments.end()) return std::nullopt;
  return found->second;
}

Expected<void> RecordedDevice::Run(int width, std::span<const ConstColumn> inputs,
                                   std::span<const Column> outputs, std::size_t count) {
  const auto found = answers_.find(width);
  if (found == answers_.end()) {
    return Fail(ErrorKind::kInternal, fmt::format("{}: width {} was not prepared", path_, width));
  }
  Answers& answers = found->second;
  std::size_t next = 0;
  for (std::size_t item = 0; item < count; ++item) {
    const auto recorded = FindItem(&answers, inputs, item, next);
    if (!recorded) {
      std::string arguments;
      text::AppendItem(inputs, item, &arguments);
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: the file has no answer for {} {} at {}", path_,
                              task_.operation.Name(), task_.operation.FormatName(), arguments));
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const std::size_t bytes = ItemBytes(outputs[k].slot);
      std::memcpy(static_cast<std::byte*>(outputs[k].data) + item * bytes,
                  answers.outputs.data[k].data() + *recorded * bytes, bytes);
    }
    next = *recorded + 1;
  }
  return {};
}

}  // namespace

Expected<std::unique_ptr<Device>> OpenRecorded(const std::string& path) {
  auto device = std::make_unique<RecordedDevice>(path);
  if (auto opened = device->Open(); !opened) return tl::unexpected<Error>(opened.error());
  return device;
}

}  // namespace assay::oracle
