// A device in a child process: `assay serve ARGS...`, with the columns in shared memory.
//
// A driver that crashes or hangs costs the task in hand and nothing else: the child is ended, the
// task fails with kDevice, and the next Prepare starts a new child.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/process.h"
#include "base/random_number.h"
#include "oracle/devices/device.h"
#include "oracle/devices/image_request.h"
#include "oracle/devices/kernel_request.h"
#include "oracle/devices/poison.h"
#include "oracle/devices/range.h"
#include "oracle/devices/served_memory.h"
#include "oracle/devices/wire.h"

namespace assay::oracle {
namespace {

using nlohmann::json;
using numerics::ConstColumn;
using numerics::Slot;

constexpr const char* kOneByOne = "--one-by-one";

class ServedDevice : public Device,
                     public FillsPoison,
                     public AnswersImages,
                     public AnswersKernels,
                     public AnswersRanges {
 public:
  ServedDevice(std::vector<std::string> argv, std::string label, const Patience& patience)
      : argv_(std::move(argv)), label_(std::move(label)), patience_(patience) {}

  // Starts the child and takes its description.
  Expected<void> Start();

  const DeviceDescription& Description() const override { return description_; }
  Expected<void> Prepare(const TaskSpec& task) override;
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override;
  Expected<void> AskImages(const ImageRequest& request, ImageInputs inputs,
                           ImageOutputs outputs) override;
  Expected<void> AskTransfers(const TransferRequest& request, ImageInputs inputs,
                              ImageOutputs outputs) override;
  Expected<void> AskKernel(const KernelRequest& request, ImageInputs inputs,
                           ImageOutputs outputs) override;
  Expected<MadeOthers> CheckRange(std::uint32_t first, std::size_t count) override;
  bool IsReady() const override { return process_ != nullptr && process_->Alive(); }
  Expected<RangeAnswers> AskRange(int width, std::uint32_t first, std::size_t count,
                                  std::size_t capacity) override;
  void GiveBack(const RangeAnswers& answers, bool taken) override {
    regions_.GiveBack(answers, taken);
  }
  Expected<void> EndTask() override {
    return process_ == nullptr ? Expected<void>() : process_->ExpectSilence();
  }
  std::vector<std::string> TakeNotes() override { return std::exchange(notes_, {}); }
  void UsePoison(std::span<const Poison> columns) override {
    poison_.assign(columns.begin(), columns.end());
  }

 private:
  Expected<void> Restart();
  Expected<void> Greet();
  Expected<json> Receive(double seconds);
  Expected<void> Ask(json message, double seconds);
  tl::unexpected<Error> Gone() const {
    return Fail(ErrorKind::kDevice, fmt::format("`{}` is gone; prepare the task again", label_));
  }
  // A request that needs no task, as a message of this name.
  Expected<void> AskAlone(const char* name, json request, const ImageOperands& operands,
                          ImageInputs inputs, ImageOutputs outputs);
  // Makes room for a request's operands, with new guards.
  Expected<Poison> Guard(const SharedLayout& layout, const Poison::Key& key);
  json Place(const std::vector<SharedLayout::Zone>& zones, const std::vector<const void*>& data);
  Expected<void> CheckMemory(const SharedLayout& layout, const std::vector<const void*>& inputs,
                             const Poison& guard);

  std::vector<std::string> argv_;
  std::string label_;
  Patience patience_;
  DeviceDescription description_;
  std::string declared_;  // the first description, as it came
  // Of the requests, over all lives of the child.  A driver in the child cannot guess the next
  // number.
  std::uint64_t last_id_ = base::RandomNumber();
  std::vector<std::string> notes_;
  MadeOthers made_others_;      // of the last answer
  std::vector<Poison> poison_;  // of the next Run; empty: its outputs hold it
  SharedMemory memory_;
  RangeRegions regions_{
      [this](std::size_t region, std::size_t size) { return memory_.ReserveRegion(region, size); }};
  std::vector<Slot> task_outputs_;          // of the task in hand
  std::unique_ptr<base::Process> process_;  // last, so that it ends before the memory goes
  bool used_ = false;                       // the child has prepared something
  bool said_more_ = false;                  // instead of an answer came more to an earlier request
};

Expected<json> ServedDevice::Receive(double seconds) {
  std::uint32_t size = 0;
  if (auto read = process_->Read(&size, sizeof size, seconds); !read) {
    return tl::unexpected<Error>(read.error());
  }
  if (size > wire::kMaxMessage) return process_->Abort("sent no message of assay serve");
  std::string text(size, '\0');
  if (auto read = process_->Read(text.data(), size, seconds); !read) {
    return tl::unexpected<Error>(read.error());
  }
  auto message = wire::Parse(text);
  if (!message) return process_->Abort("sent no message of assay serve");
  return message;
}

Expected<void> ServedDevice::Ask(json message, double seconds) {
  said_more_ = false;
  if (auto silent = process_->ExpectSilence(); !silent) {
    said_more_ = true;
    return silent;
  }
  message["id"] = ++last_id_;
  process_->Queue(wire::Frame(message));
  const auto received = Receive(seconds);
  if (!received) return tl::unexpected<Error>(received.error());
  auto answer = wire::AnswerFromJson(*received);
  if (!answer) return process_->Abort("sent no answer: " + answer.error().message);
  if (answer->id != last_id_) {
    said_more_ = answer->id == last_id_ - 1;
    return process_->Abort("answered another request than the one it was asked");
  }
  made_others_ = std::move(answer->made_others);
  std::move(answer->notes.begin(), answer->notes.end(), std::back_inserter(notes_));
  if (auto silent = process_->ExpectSilence(); !silent) return silent;
  if (answer->error) return tl::unexpected<Error>(std::move(*answer->error));
  return {};
}

Expected<void> ServedDevice::Greet() {
  const auto hello = Receive(patience_.prepare_seconds);
  if (!hello) return tl::unexpected<Error>(hello.error());
  auto answer = wire::AnswerFromJson(*hello);
  if (!answer) return process_->Abort("sent no greeting: " + answer.error().message);
  if (answer->error) {
    process_.reset();
    return tl::unexpected<Error>(std::move(*answer->error));
  }
  auto description = wire::DescriptionFromJson(hello->value("description", json()));
  if (!description) return process_->Abort("sent no greeting: " + description.error().message);
  const std::string declared =
      wire::ToJson(*description).dump(-1, ' ', false, json::error_handler_t::replace);
  if (!declared_.empty() && declared != declared_) {
    return process_->Abort(
        fmt::format("is another device since it was started again: it declares {}, and declared {}",
                    declared, declared_));
  }
  declared_ = declared;
  description_ = std::move(*description);
  return {};
}

Expected<void> ServedDevice::Start() {
  if (auto reserved = memory_.Reserve(kSharedAlignment); !reserved) return reserved;
  used_ = false;
  process_.reset();
  auto process = base::Process::Start(argv_, label_, memory_.fd());
  if (!process) return tl::unexpected<Error>(process.error());
  process_ = std::move(*process);
  process_->EndSoonAfter(patience_.stop);
  process_->LimitTotal(patience_.prepare_seconds);
  auto greeted = Greet();
  if (greeted) process_->LimitTotal(-1);
  return greeted;
}

// A function that was supported when the run began does not become unsupported because a later
// child says so.
Expected<void> ServedDevice::Restart() {
  auto started = Start();
  if (started) return started;
  return Fail(ErrorKind::kDevice,
              fmt::format("cannot be started again: {}", started.error().message));
}

Expected<void> ServedDevice::Prepare(const TaskSpec& task) {
  // Data of the task before must not count against this one.
  constexpr const char* kSaidMore =
      "the device said more than it was asked for the function before, and was started again";
  if (process_ != nullptr && !process_->ExpectSilence()) notes_.emplace_back(kSaidMore);
  if (process_ == nullptr || !process_->Alive()) {
    if (auto started = Restart(); !started) return started;
  }
  const bool was_used = used_;
  used_ = true;
  task_outputs_ = task.operation.Outputs();
  const json message = {{"prepare", wire::ToJson(task)}};
  auto prepared = Ask(message, patience_.prepare_seconds);
  if (prepared || process_->Alive() || !was_used) return prepared;
  if (said_more_) {  // it came only now
    notes_.emplace_back(kSaidMore);
  } else if (argv_.back() != kOneByOne) {
    // The child died over a program that may hold neighbours of this task as well: ask a fresh one,
    // which compiles every task for itself from here on.
    argv_.emplace_back(kOneByOne);
  }
  if (auto started = Restart(); !started) return started;
  used_ = true;
  return Ask(message, patience_.prepare_seconds);
}

Expected<Poison> ServedDevice::Guard(const SharedLayout& layout, const Poison::Key& key) {
  if (auto reserved = memory_.Reserve(layout.size); !reserved) {
    return tl::unexpected<Error>(reserved.error());
  }
  const Poison guard(key);
  for (const SharedLayout::Zone& zone : layout.guards) {
    guard.Fill({memory_.data() + zone.begin, zone.size});
  }
  return guard;
}

json ServedDevice::Place(const std::vector<SharedLayout::Zone>& zones,
                         const std::vector<const void*>& data) {
  json offsets = json::array();
  for (std::size_t k = 0; k < zones.size(); ++k) {
    offsets.push_back(zones[k].begin);
    if (zones[k].size > 0) std::memcpy(memory_.data() + zones[k].begin, data[k], zones[k].size);
  }
  return offsets;
}

Expected<void> ServedDevice::CheckMemory(const SharedLayout& layout,
                                         const std::vector<const void*>& inputs,
                                         const Poison& guard) {
  for (const SharedLayout::Zone& zone : layout.guards) {
    const auto written = guard.FindWritten({memory_.data() + zone.begin, zone.size});
    if (!written) continue;
    return process_->Abort(fmt::format(
        "wrote outside of its columns: bytes {} to {} behind {}", written->first, written->last,
        zone.begin == 0 ? "nothing, before the first input" : "an input or an answer"));
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const SharedLayout::Zone& zone = layout.inputs[k];
    if (!SameInput(memory_.data() + zone.begin, static_cast<const std::byte*>(inputs[k]),
                   zone.size)) {
      return process_->Abort(fmt::format("changed its inputs (operand {})", k));
    }
  }
  return {};
}

Expected<void> ServedDevice::Run(int width, std::span<const ConstColumn> inputs,
                                 std::span<const Column> outputs, std::size_t count) {
  if (process_ == nullptr || !process_->Alive()) return Gone();
  const SharedLayout layout(inputs, outputs, count);
  const auto guard = Guard(layout, {.seed = last_id_, .width = width, .first_item = count});
  if (!guard) return tl::unexpected<Error>(guard.error());
  std::vector<const void*> data;
  for (const ConstColumn& column : inputs) data.push_back(column.data);
  const json in = Place(layout.inputs, data);
  json out = json::array();
  // With the poison that they hold (Column).
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const SharedLayout::Zone& zone = layout.outputs[k];
    out.push_back(zone.begin);
    if (k < poison_.size()) {
      poison_[k].Fill({memory_.data() + zone.begin, zone.size});
    } else {
      std::memcpy(memory_.data() + zone.begin, outputs[k].data, zone.size);
    }
  }
  poison_.clear();
  const json message = {{"run",
                         {{"width", width},
                          {"count", count},
                          {"size", memory_.size()},
                          {"inputs", in},
                          {"outputs", out}}}};
  if (auto run = Ask(message, patience_.answer_seconds); !run) return run;
  if (auto checked = CheckMemory(layout, data, *guard); !checked) return checked;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::memcpy(outputs[k].data, memory_.data() + layout.outputs[k].begin, layout.outputs[k].size);
  }
  return {};
}

Expected<MadeOthers> ServedDevice::CheckRange(std::uint32_t first, std::size_t count) {
  if (process_ == nullptr || !process_->Alive()) return Gone();
  // It is the first request of its kind, and a driver may compile now.
  const double seconds = std::max(patience_.prepare_seconds, patience_.answer_seconds);
  auto asked = Ask({{"check_range", {{"first", first}, {"count", count}}}}, seconds);
  if (!asked) return tl::unexpected<Error>(asked.error());
  return std::exchange(made_others_, std::nullopt);
}

Expected<RangeAnswers> ServedDevice::AskRange(int width, std::uint32_t first, std::size_t count,
                                              std::size_t capacity) {
  if (process_ == nullptr || !process_->Alive()) return Gone();
  auto lease = regions_.Lend(task_outputs_, capacity, count);
  if (!lease) return tl::unexpected<Error>(lease.error());
  const json message = {{"range",
                         {{"width", width},
                          {"first", first},
                          {"count", count},
                          {"shifts", lease->shifts},
                          {"at", SharedMemory::RegionOffset(lease->region)},
                          {"size", lease->size},
                          {"outputs", lease->offsets}}}};
  auto asked = Ask(message, patience_.answer_seconds);
  if (asked) {
    lease->answers.LookEarly();
    if (const auto trespass = RangeRegions::FindTrespass(lease->answers)) {
      asked = process_->Abort("wrote outside of its columns: " + *trespass);
    }
  }
  if (asked) return std::move(lease->answers);
  regions_.GiveBack(lease->answers, false);
  return tl::unexpected<Error>(asked.error());
}

// Such a request needs no task: a child that is gone is started again.
Expected<void> ServedDevice::AskAlone(const char* name, json request, const ImageOperands& operands,
                                      ImageInputs inputs, ImageOutputs outputs) {
  if (process_ == nullptr || !process_->Alive()) {
    if (auto started = Restart(); !started) return started;
  }
  used_ = true;
  const SharedLayout layout(operands);
  const auto guard = Guard(layout, {.seed = last_id_, .first_item = outputs.size()});
  if (!guard) return tl::unexpected<Error>(guard.error());
  std::vector<const void*> data, poison;
  for (const auto& input : inputs) data.push_back(input.data());
  for (const auto& output : outputs) poison.push_back(output.data());
  const json in = Place(layout.inputs, data), out = Place(layout.outputs, poison);
  const json message = {{name,
                         {{"request", std::move(request)},
                          {"size", memory_.size()},
                          {"inputs", in},
                          {"outputs", out}}}};
  // A driver compiles a kernel at the first request of its kind.
  const double seconds = std::max(patience_.prepare_seconds, patience_.answer_seconds);
  if (auto asked = Ask(message, seconds); !asked) return asked;
  if (auto checked = CheckMemory(layout, data, *guard); !checked) return checked;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::memcpy(outputs[k].data(), memory_.data() + layout.outputs[k].begin,
                layout.outputs[k].size);
  }
  return {};
}

Expected<void> ServedDevice::AskImages(const ImageRequest& request, ImageInputs inputs,
                                       ImageOutputs outputs) {
  return AskAlone("images", ToJson(request), OperandsOf(request), inputs, outputs);
}

Expected<void> ServedDevice::AskKernel(const KernelRequest& request, ImageInputs inputs,
                                       ImageOutputs outputs) {
  return AskAlone("kernel", ToJson(request), OperandsOf(request), inputs, outputs);
}

Expected<void> ServedDevice::AskTransfers(const TransferRequest& request, ImageInputs inputs,
                                          ImageOutputs outputs) {
  return AskAlone("transfers", ToJson(request), OperandsOf(request), inputs, outputs);
}

}  // namespace

Expected<std::unique_ptr<Device>> OpenServed(const std::vector<std::string>& serve_args,
                                             const Patience& patience,
                                             const std::string& executable) {
  std::vector<std::string> argv = {executable, "serve"};
  std::string label = "assay serve";
  for (const std::string& argument : serve_args) {
    argv.push_back(argument);
    label += " " + argument;
  }
  auto device = std::make_unique<ServedDevice>(std::move(argv), std::move(label), patience);
  if (auto started = device->Start(); !started) return tl::unexpected<Error>(started.error());
  return device;
}

}  // namespace assay::oracle
