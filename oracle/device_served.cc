// A device in a child process: `assay serve ARGS...`, with the columns in shared memory.
//
// A driver that crashes or hangs costs the task in hand and nothing else: the child is ended, the
// task fails with kDevice, and the next Prepare starts a new child.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "oracle/device.h"
#include "oracle/device_wire.h"
#include "oracle/process.h"

namespace assay::oracle {
namespace {

using nlohmann::json;
using numerics::ConstColumn;
using numerics::Slot;

// Columns start on pages: drivers pin them or use them in place.
constexpr std::size_t kAlignment = 4096;

constexpr const char* kOneByOne = "--one-by-one";

std::size_t Align(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

std::size_t ColumnBytes(const Slot& slot, std::size_t count) {
  return count * SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
}

// Anonymous memory with a descriptor that a child can map; grows, never shrinks.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory() {
    if (data_ != nullptr) munmap(data_, size_);
    if (fd_ >= 0) close(fd_);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  Expected<void> Reserve(std::size_t size) {
    if (fd_ < 0) fd_ = memfd_create("assay-columns", MFD_CLOEXEC);
    if (fd_ < 0) return Error("memfd_create");
    if (size <= size_) return {};
    if (ftruncate(fd_, static_cast<off_t>(size)) != 0) return Error("ftruncate");
    if (data_ != nullptr) munmap(data_, size_);
    void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    data_ = data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
    size_ = data_ == nullptr ? 0 : size;
    if (data_ == nullptr) return Error("mmap");
    return {};
  }
  int fd() const { return fd_; }
  std::size_t size() const { return size_; }
  std::byte* data() const { return data_; }

 private:
  static tl::unexpected<assay::Error> Error(const char* call) {
    return Fail(ErrorKind::kDevice,
                fmt::format("shared memory for the columns: {}: {}", call, std::strerror(errno)));
  }
  int fd_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

class ServedDevice : public Device {
 public:
  ServedDevice(std::vector<std::string> argv, std::string label, const Patience& patience)
      : argv_(std::move(argv)), label_(std::move(label)), patience_(patience) {}

  // Starts the child and takes its description.
  Expected<void> Start();

  const DeviceDescription& Description() const override { return description_; }
  Expected<void> Prepare(const TaskSpec& task) override;
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override;

 private:
  Expected<json> Receive(double seconds);
  Expected<void> Ask(const json& message, double seconds);

  std::vector<std::string> argv_;
  std::string label_;
  Patience patience_;
  DeviceDescription description_;
  SharedMemory memory_;
  std::unique_ptr<Process> process_;  // last, so that it ends before the memory goes
  bool used_ = false;                 // the child has prepared something
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

Expected<void> ServedDevice::Ask(const json& message, double seconds) {
  process_->Queue(wire::Frame(message));
  const auto answer = Receive(seconds);
  if (!answer) return tl::unexpected<Error>(answer.error());
  return wire::ResultFromJson(*answer);
}

Expected<void> ServedDevice::Start() {
  if (auto reserved = memory_.Reserve(kAlignment); !reserved) return reserved;
  used_ = false;
  auto process = Process::Start(argv_, label_, memory_.fd());
  if (!process) return tl::unexpected<Error>(process.error());
  process_ = std::move(*process);
  process_->EndSoonAfter(patience_.stop);
  const auto hello = Receive(patience_.prepare_seconds);
  if (!hello) return tl::unexpected<Error>(hello.error());
  if (auto result = wire::ResultFromJson(*hello); !result) {
    process_.reset();
    return result;
  }
  auto description = wire::DescriptionFromJson(hello->value("description", json()));
  if (!description) return tl::unexpected<Error>(description.error());
  description_ = std::move(*description);
  return {};
}

Expected<void> ServedDevice::Prepare(const TaskSpec& task) {
  if (process_ == nullptr || !process_->Alive()) {
    if (auto started = Start(); !started) return started;
  }
  const bool was_used = used_;
  used_ = true;
  const json message = {{"prepare", wire::ToJson(task)}};
  auto prepared = Ask(message, patience_.prepare_seconds);
  if (prepared || process_->Alive() || !was_used) return prepared;
  // The child died over a program that may hold neighbours of this task as well: ask a fresh one,
  // which compiles every task for itself from here on.
  if (argv_.back() != kOneByOne) argv_.emplace_back(kOneByOne);
  if (auto started = Start(); !started) return started;
  used_ = true;
  return Ask(message, patience_.prepare_seconds);
}

Expected<void> ServedDevice::Run(int width, std::span<const ConstColumn> inputs,
                                 std::span<const Column> outputs, std::size_t count) {
  if (process_ == nullptr || !process_->Alive()) {
    return Fail(ErrorKind::kDevice, fmt::format("`{}` is gone; prepare the task again", label_));
  }
  std::size_t size = 0;
  json in = json::array(), out = json::array();
  for (const ConstColumn& column : inputs) {
    in.push_back(size);
    size = Align(size + ColumnBytes(column.slot, count));
  }
  for (const Column& column : outputs) {
    out.push_back(size);
    size = Align(size + ColumnBytes(column.slot, count));
  }
  if (auto reserved = memory_.Reserve(size); !reserved) return reserved;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    std::memcpy(memory_.data() + in[k].get<std::size_t>(), inputs[k].data,
                ColumnBytes(inputs[k].slot, count));
  }
  const json message = {{"run",
                         {{"width", width},
                          {"count", count},
                          {"size", memory_.size()},
                          {"inputs", in},
                          {"outputs", out}}}};
  if (auto run = Ask(message, patience_.answer_seconds); !run) return run;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::memcpy(outputs[k].data, memory_.data() + out[k].get<std::size_t>(),
                ColumnBytes(outputs[k].slot, count));
  }
  return {};
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
