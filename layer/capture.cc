#include "layer/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

#include "base/clock.h"
#include "layer/follow.h"
#include "layer/snapshot.h"
#include "layer/write.h"

namespace assay::layer {

namespace {

using Clock = std::chrono::steady_clock;

// How long a captured launch is waited for at least: nothing else runs beside it.
constexpr double kLaunchSeconds = 20;

// Waits without a call that blocks: what is waited for may need the application to go on.
class Wait {
 public:
  explicit Wait(double seconds) : seconds_(seconds) {}

  // "" once the event has ended well, else why not.
  std::string For(cl_event event) const {
    while (true) {
      cl_int status = CL_QUEUED;
      const cl_int asked = Target(event).clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                        sizeof status, &status, nullptr);
      if (asked != CL_SUCCESS) return fmt::format("an event cannot be asked for (error {})", asked);
      if (status == CL_COMPLETE) return "";
      if (status < 0) return fmt::format("a command failed with error {}", status);
      if (base::SecondsSince(start_) > seconds_) {
        return fmt::format("commands did not end within {} seconds (ASSAY_CAPTURE_WAIT)", seconds_);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  // All commands that the queue has.
  std::string ForQueue(cl_command_queue queue) const {
    if (Target(queue).clEnqueueMarkerWithWaitList == nullptr)
      return "the driver is older than OpenCL 1.2";
    cl_event marker = nullptr;
    cl_int status = Target(queue).clEnqueueMarkerWithWaitList(queue, 0, nullptr, &marker);
    if (status != CL_SUCCESS) return fmt::format("a marker failed with error {}", status);
    Target(queue).clFlush(queue);
    std::string why = For(marker);
    Target(marker).clReleaseEvent(marker);
    return why;
  }

 private:
  double seconds_;
  Clock::time_point start_ = Clock::now();
};

class Capture {
 public:
  Capture(const LaunchCall& call, KernelRecord& kernel, std::uint64_t number)
      : call_(call), kernel_(kernel), layer_(Layer::Get()) {
    text_.launch = number;
  }

  cl_int Run() {
    // Not for ever: this may be a callback that the capture of another thread waits for.
    const std::unique_lock one_at_a_time(
        layer_.capturing, std::chrono::duration<double>(layer_.settings.wait_seconds));
    if (!one_at_a_time.owns_lock()) return call_.Enqueue();
    const auto start = Clock::now();
    try {
      Work();
    } catch (const std::exception& error) {
      Say(error.what());
    }
    layer_.seconds_of_captures += base::SecondsSince(start);
    if (!is_launched_) status_ = call_.Enqueue();
    return status_;
  }

 private:
  // Everything that could keep the application from getting what it asked for is before the
  // launch, and can only end in "not captured".
  void Work() {
    const double budget = layer_.settings.budget_seconds;
    if (budget > 0 && layer_.seconds_of_captures > budget) return;
    text_.capture = ++layer_.captures;
    queue_ = layer_.queues.Find(call_.queue);
    if (queue_) text_.device = queue_->device;
    const std::lock_guard arguments(kernel_.mutex);
    std::unique_ptr<Snapshot> snapshot;
    text_.missing = Prepare(&snapshot);
    MarkWritten();
    if (text_.missing.empty()) text_.missing = LaunchAndRead(*snapshot);
    if (!is_launched_) Launch(call_);
    if (status_ != CL_SUCCESS) return;  // the application's error: there was no launch
    text_.snapshot = snapshot.get();
    const auto written = WriteCapture(layer_.settings.folder, call_, kernel_, text_);
    if (!written) Say(written.error().message);
  }

  // Before the launch: "" where the memory has been read, else why it is not captured.
  std::string Prepare(std::unique_ptr<Snapshot>* snapshot) {
    AskOtherLoaders();
    if (!queue_) return "its queue was made in a way that is not followed";
    if (!kernel_.build) return "its program was built in a way that is not followed";
    if (!kernel_.build->refused.empty()) return kernel_.build->refused;
    if (call_.global == nullptr) return "it has no index space";
    if (layer_.has_unseen_arguments) return "the application sets arguments by an extension";
    if (layer_.open_user_events != 0) {
      return "the application has a user event that is not complete: a wait might never end";
    }
    *snapshot = std::make_unique<Snapshot>(kernel_, call_.kernel, call_.queue, queue_->context);
    if (auto good = (*snapshot)->Describe(layer_.settings.max_bytes); !good) {
      return good.error().message;
    }
    if (layer_.has_unseen_commands) {
      text_.doubts.emplace_back("the application enqueues commands by functions of an extension");
    }
    if (const std::string loader = layer_.other_loaders.Unseen(); !loader.empty()) {
      text_.doubts.push_back("the application has a second ICD loader that knows no layers: " +
                             loader);
    }
    if (kernel_.has_exec_info) {
      text_.doubts.emplace_back(
          "the kernel follows pointers to shared memory (clSetKernelExecInfo)");
    }
    if (std::string why = WaitForOthers(); !why.empty()) return why;
    commands_ = Commands();
    if (auto good = (*snapshot)->ReadBefore(); !good) return good.error().message;
    return "";
  }

  std::string WaitForOthers() {
    const Wait wait(layer_.settings.wait_seconds);
    const auto queues = layer_.queues.All();
    // What this queue waits for may be in another one, not yet given to the device.
    for (const auto& [handle, queue] : queues) {
      if (queue->context == queue_->context) Target(handle).clFlush(handle);
    }
    for (cl_uint i = 0; i < call_.waits; ++i) {
      if (std::string why = wait.For(call_.wait_list[i]); !why.empty()) return why;
    }
    if (std::string why = wait.ForQueue(call_.queue); !why.empty()) return why;
    for (const auto& [handle, queue] : queues) {
      if (handle == call_.queue || queue->context != queue_->context) continue;
      const std::uint64_t commands = queue->commands;
      if (commands == queue->finished) continue;
      if (const std::string why = wait.ForQueue(handle); !why.empty()) {
        text_.doubts.push_back("another queue of the context was working: " + why);
        continue;
      }
      queue->finished = commands;
    }
    return "";
  }

  // Of all queues of the context: it changes where another thread enqueues something.
  std::uint64_t Commands() const {
    std::uint64_t sum = 0;
    for (const auto& [handle, queue] : layer_.queues.All()) {
      if (queue->context == queue_->context) sum += queue->commands;
    }
    return sum;
  }

  void MarkWritten() {
    for (const Argument& argument : kernel_.arguments) {
      for (MemoryRecord* one = argument.memory.get(); one != nullptr; one = one->parent.get()) {
        one->is_written = true;
      }
    }
  }

  void Launch(const LaunchCall& call) {
    is_launched_ = true;
    status_ = call.Enqueue();
  }

  std::string LaunchAndRead(Snapshot& snapshot) {
    cl_event own = nullptr;
    LaunchCall call = call_;
    if (call.event == nullptr) call.event = &own;
    Launch(call);
    if (status_ != CL_SUCCESS) return "the driver refused the launch";
    Target(call_.queue).clFlush(call_.queue);
    std::string why = Wait(std::max(layer_.settings.wait_seconds, kLaunchSeconds)).For(*call.event);
    if (own != nullptr) Target(own).clReleaseEvent(own);
    if (!why.empty()) return "the launch: " + why;
    if (auto good = snapshot.ReadAfter(); !good) return good.error().message;
    if (Commands() != commands_) {
      text_.doubts.push_back("another thread enqueued commands while the launch was captured");
    }
    const auto& doubts = snapshot.doubts();
    text_.doubts.insert(text_.doubts.end(), doubts.begin(), doubts.end());
    return "";
  }

  void Say(const std::string& what) {
    std::fprintf(stderr, "assay: launch %llu of kernel '%s' is not captured: %s\n",
                 static_cast<unsigned long long>(text_.launch), kernel_.name.c_str(), what.c_str());
  }

  const LaunchCall& call_;
  KernelRecord& kernel_;
  Layer& layer_;
  std::shared_ptr<QueueRecord> queue_;
  CaptureText text_;
  std::uint64_t commands_ = 0;
  bool is_launched_ = false;
  cl_int status_ = CL_SUCCESS;
};

}  // namespace

cl_int CaptureLaunch(const LaunchCall& call, KernelRecord& kernel, std::uint64_t number) {
  return Capture(call, kernel, number).Run();
}

}  // namespace assay::layer
