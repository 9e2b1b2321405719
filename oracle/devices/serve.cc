// The child's side of a served device.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/process.h"
#include "oracle/devices/device.h"
#include "oracle/devices/image_request.h"
#include "oracle/devices/kernel_request.h"
#include "oracle/devices/range.h"
#include "oracle/devices/threads.h"
#include "oracle/devices/wire.h"

namespace assay::oracle {
namespace {

using nlohmann::json;
using numerics::ConstColumn;
using numerics::Operation;
using numerics::Slot;

// Ends this process when the parent is gone while a driver hangs: the parent may have been killed
// and cannot end us any more.
class Watchdog {
 public:
  explicit Watchdog(int in_fd) {
    if (pipe2(stop_, O_CLOEXEC) != 0) return;
    thread_ = std::thread([in_fd, stop = stop_[0]] { Watch(in_fd, stop); });
  }
  ~Watchdog() {
    if (!thread_.joinable()) return;
    close(stop_[1]);
    thread_.join();
    close(stop_[0]);
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  static void Watch(int in_fd, int stop) {
    constexpr int kGraceMilliseconds = 2000;
    pollfd fds[2] = {{in_fd, 0, 0}, {stop, 0, 0}};
    while (poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    if (fds[1].revents != 0) return;
    pollfd last = {stop, 0, 0};
    if (poll(&last, 1, kGraceMilliseconds) == 0) _exit(4);
  }
  int stop_[2] = {-1, -1};
  std::thread thread_;
};

bool ReadAll(int fd, void* data, std::size_t size) {
  auto* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// Nothing at the end of the input.
std::optional<Expected<json>> Receive(int fd) {
  std::uint32_t size = 0;
  if (!ReadAll(fd, &size, sizeof size)) return std::nullopt;
  if (size > wire::kMaxMessage) {
    return Expected<json>(Fail(ErrorKind::kUsage,
                               "assay serve: not a message; this command is "
                               "for `assay validate`, not for terminals"));
  }
  std::string text(size, '\0');
  if (!ReadAll(fd, text.data(), size)) return std::nullopt;
  return wire::Parse(text);
}

class Mapping {
 public:
  ~Mapping() { Reset(); }
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  Expected<void> Reserve(std::size_t size) {
    if (size <= size_) return {};
    return Map(size, size, 0);
  }
  // The same of a region at `offset`, which stays where it is while it grows.
  Expected<void> ReserveRegion(std::size_t size, std::size_t offset) {
    if (size <= used_) return {};
    if (size > kRegionSpan) return Fail(ErrorKind::kInternal, "assay serve: too large a region");
    const auto mapped = Map(size, kRegionSpan, offset);
    if (mapped) used_ = size;
    return mapped;
  }
  std::byte* data() const { return data_; }

 private:
  // `room` bytes, of which the file must have `size`.
  Expected<void> Map(std::size_t size, std::size_t room, std::size_t offset) {
    // A shorter file would turn every access beyond its end into SIGBUS.
    struct stat status {};
    if (fstat(base::Process::kInheritedFd, &status) != 0 ||
        status.st_size < static_cast<off_t>(offset + size)) {
      return Fail(ErrorKind::kInternal, "assay serve: descriptor 3 is not the shared memory");
    }
    if (room == size_) return {};
    Reset();
    void* data = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED,
                      base::Process::kInheritedFd, static_cast<off_t>(offset));
    if (data == MAP_FAILED) {
      return Fail(ErrorKind::kDevice,
                  fmt::format("assay serve: cannot map {} bytes: {}", room, std::strerror(errno)));
    }
    data_ = static_cast<std::byte*>(data);
    size_ = room;
    return {};
  }
  void Reset() {
    if (data_ != nullptr) munmap(data_, size_);
    data_ = nullptr;
    size_ = 0;
  }
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;  // mapped
  std::size_t used_ = 0;  // of a region
};

class Server {
 public:
  explicit Server(Device& device) : device_(device) {}

  json Answer(const json& message) {
    json answer = Do(message);
    answer["id"] = message.value("id", std::uint64_t{0});
    const std::vector<std::string> notes = device_.TakeNotes();
    if (!notes.empty()) answer["notes"] = notes;
    return answer;
  }

 private:
  json Do(const json& message) {
    try {
      if (message.contains("prepare")) return Result(Prepare(message["prepare"]));
      if (message.contains("run")) return Result(Run(message["run"]));
      if (message.contains("range")) return Result(RunRange(message["range"]));
      if (message.contains("check_range")) return CheckRange(message["check_range"]);
      if (message.contains("images")) return Result(AskImages(message["images"]));
      if (message.contains("kernel")) return Result(AskKernel(message["kernel"]));
      if (message.contains("transfers")) return Result(AskTransfers(message["transfers"]));
    } catch (const json::exception& exception) {
      return Result(Fail(ErrorKind::kInternal, fmt::format("assay serve: {}", exception.what())));
    }
    return Result(Fail(ErrorKind::kInternal, "assay serve: an unknown request"));
  }

  static json Result(const Expected<void>& result) {
    return result ? json::object() : wire::ToJson(result.error());
  }

  Expected<void> Prepare(const json& message) {
    const auto task = wire::TaskFromJson(message);
    if (!task) return tl::unexpected<Error>(task.error());
    inputs_ = task->operation.Inputs();
    outputs_ = task->operation.Outputs();
    return device_.Prepare(*task);
  }

  Expected<void> Run(const json& run) {
    const std::size_t count = run.value("count", std::size_t{0});
    const std::size_t size = run.value("size", std::size_t{0});
    if (auto mapped = memory_.Reserve(size); !mapped) return mapped;
    std::vector<ConstColumn> inputs;
    std::vector<Column> outputs;
    auto place = [&](const char* list, std::size_t k, const Slot& slot) -> std::byte* {
      const auto& offsets = run.at(list);
      const std::size_t bytes =
          count * SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
      const std::size_t offset = k < offsets.size() ? offsets[k].get<std::size_t>() : size;
      return offset > size || bytes > size - offset ? nullptr : memory_.data() + offset;
    };
    bool inside = run.contains("inputs") && run.contains("outputs");
    for (std::size_t k = 0; inside && k < inputs_.size(); ++k) {
      inputs.push_back({inputs_[k], place("inputs", k, inputs_[k])});
      inside = inputs.back().data != nullptr;
    }
    for (std::size_t k = 0; inside && k < outputs_.size(); ++k) {
      outputs.push_back({outputs_[k], place("outputs", k, outputs_[k])});
      inside = outputs.back().data != nullptr;
    }
    if (!inside) return Fail(ErrorKind::kInternal, "assay serve: columns outside shared memory");
    return device_.Run(run.value("width", 1), inputs, outputs, count);
  }

  Expected<MakesRanges*> Ranges() {
    auto* ranges = dynamic_cast<MakesRanges*>(&device_);
    const bool fits = inputs_.size() == 1 && inputs_[0].components == 1 &&
                      SizeOf(inputs_[0].type) == sizeof(std::uint32_t);
    if (ranges != nullptr && fits) return ranges;
    return Fail(ErrorKind::kUnsupported, "this device makes no operands itself");
  }

  json CheckRange(const json& check) {
    const auto ranges = Ranges();
    if (!ranges) return wire::ToJson(ranges.error());
    const auto others = (*ranges)->CheckRange(check.value("first", std::uint32_t{0}),
                                              check.value("count", std::size_t{0}));
    if (!others) return wire::ToJson(others.error());
    json answer = json::object();
    if (*others) answer["made_others"] = **others;
    return answer;
  }

  Expected<void> RunRange(const json& range) {
    const auto ranges = Ranges();
    if (!ranges) return tl::unexpected<Error>(ranges.error());
    const std::size_t at = range.value("at", std::size_t{0});
    const std::size_t size = range.value("size", std::size_t{0});
    Mapping& region = regions_[at];
    if (auto mapped = region.ReserveRegion(size, at); !mapped) return mapped;
    RangeRequest request{.width = range.value("width", 1),
                         .first = range.value("first", std::uint32_t{0}),
                         .count = range.value("count", std::size_t{0}),
                         .shifts = range.at("shifts").get<std::vector<std::size_t>>(),
                         .memory = {region.data(), size}};
    const auto offsets = range.at("outputs").get<std::vector<std::size_t>>();
    std::vector<Column> outputs;
    for (std::size_t k = 0; k < outputs_.size() && k < offsets.size(); ++k) {
      const std::size_t bytes = request.count * SizeOf(outputs_[k].type) *
                                static_cast<std::size_t>(outputs_[k].components);
      if (offsets[k] > size || bytes > size - offsets[k]) break;
      outputs.push_back({outputs_[k], region.data() + offsets[k]});
    }
    if (outputs.size() != outputs_.size() || request.shifts.size() != outputs.size()) {
      return Fail(ErrorKind::kInternal, "assay serve: columns outside shared memory");
    }
    return (*ranges)->RunRange(request, outputs);
  }

  Expected<void> AskImages(const json& message) {
    auto* images = dynamic_cast<AnswersImages*>(&device_);
    if (images == nullptr)
      return Fail(ErrorKind::kUnsupported, "only OpenCL devices are asked for images (--opencl)");
    const auto request = ImageRequestFromJson(message.at("request"));
    if (!request) return tl::unexpected<Error>(request.error());
    auto placed = Place(message, OperandsOf(*request));
    if (!placed) return tl::unexpected<Error>(placed.error());
    return images->AskImages(*request, placed->inputs, placed->outputs);
  }

  Expected<void> AskKernel(const json& message) {
    auto* kernels = dynamic_cast<AnswersKernels*>(&device_);
    if (kernels == nullptr) {
      return Fail(ErrorKind::kUnsupported, "only OpenCL devices are asked for kernels (--opencl)");
    }
    const auto request = KernelRequestFromJson(message.at("request"));
    if (!request) return tl::unexpected<Error>(request.error());
    auto placed = Place(message, OperandsOf(*request));
    if (!placed) return tl::unexpected<Error>(placed.error());
    threads_.SpreadFor(*kernels);
    return kernels->AskKernel(*request, placed->inputs, placed->outputs);
  }

  Expected<void> AskTransfers(const json& message) {
    auto* kernels = dynamic_cast<AnswersKernels*>(&device_);
    if (kernels == nullptr) {
      return Fail(ErrorKind::kUnsupported, "only OpenCL devices are asked for commands (--opencl)");
    }
    const auto request = TransferRequestFromJson(message.at("request"));
    if (!request) return tl::unexpected<Error>(request.error());
    auto placed = Place(message, OperandsOf(*request));
    if (!placed) return tl::unexpected<Error>(placed.error());
    return kernels->AskTransfers(*request, placed->inputs, placed->outputs);
  }

  // The operands of a request in the shared memory.
  struct Placed {
    std::vector<std::span<const std::byte>> inputs;
    std::vector<std::span<std::byte>> outputs;
  };
  Expected<Placed> Place(const json& message, const ImageOperands& operands) {
    const std::size_t size = message.value("size", std::size_t{0});
    if (auto mapped = memory_.Reserve(size); !mapped) return tl::unexpected<Error>(mapped.error());
    Placed placed;
    const auto place = [&](const char* list, const std::vector<std::size_t>& sizes, auto* spans) {
      const auto& offsets = message.at(list);
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        const std::size_t offset = offsets.at(k).get<std::size_t>();
        if (offset > size || sizes[k] > size - offset) return false;
        spans->push_back({memory_.data() + offset, sizes[k]});
      }
      return true;
    };
    if (!place("inputs", operands.inputs, &placed.inputs) ||
        !place("outputs", operands.outputs, &placed.outputs)) {
      return Fail(ErrorKind::kInternal, "assay serve: operands outside shared memory");
    }
    return placed;
  }

  Device& device_;
  Mapping memory_;
  DriverThreads threads_;
  std::map<std::size_t, Mapping> regions_;  // by their place in the file
  std::vector<Slot> inputs_, outputs_;
};

}  // namespace

Expected<void> ServeFailure(const Error& error, int out_fd) {
  if (!WriteAll(out_fd, wire::Frame(wire::ToJson(error)))) {
    return Fail(ErrorKind::kDevice, "assay serve: the parent is gone");
  }
  return {};
}

Expected<void> Serve(Device& device, int in_fd, int out_fd) {
  const Watchdog watchdog(in_fd);
  if (!WriteAll(out_fd, wire::Frame({{"description", wire::ToJson(device.Description())}}))) {
    return Fail(ErrorKind::kDevice, "assay serve: the parent is gone");
  }
  Server server(device);
  const pid_t self = getpid();
  while (auto message = Receive(in_fd)) {
    if (!*message) return tl::unexpected<Error>(message->error());
    const std::string answer = wire::Frame(server.Answer(**message));
    // A copy that the driver or the library made with fork: the original answers, and the copy
    // runs nothing at its end that belongs to the original.
    if (getpid() != self) _exit(0);
    if (!WriteAll(out_fd, answer)) break;
  }
  return {};
}

Expected<ServeDescriptors> TakeServeDescriptors() {
  // Drivers print to standard output and some read standard input: neither may meet the protocol.
  const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (in < 0 || out < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
      dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return Fail(ErrorKind::kInternal, fmt::format("assay serve: cannot set up its descriptors: {}",
                                                  std::strerror(errno)));
  }
  close(null);
  return ServeDescriptors{in, out};
}

}  // namespace assay::oracle
