// The state of a Session.  Internal to launching.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/kernel_needs.h"
#include "interp/execute/execute.h"
#include "interp/launch/launch.h"
#include "interp/launch/snapshot.h"
#include "interp/lower/lower.h"
#include "interp/program/envelope.h"

namespace assay::interp {

class ChoiceSource;
class DeviceQueues;
class InstanceRaces;

// What a launch may change, as it was before, to begin again from.
struct Kept {
  // The program screens: the launch is not executed where the copy costs more than that gains.
  bool screens = false;
  std::optional<Snapshot> copy;  // none: nothing was executed
};

// What a launch shares with the kernels that it enqueues, and they enqueue.
struct Kin {
  DeviceQueues* queues = nullptr;   // null: no queues are used
  ChoiceSource* choices = nullptr;  // null: work-items do not take turns
  InstanceRaces* races = nullptr;   // null: they are not watched
  std::uint64_t instructions = 0;   // that were executed before
  Kept* kept = nullptr;             // null: nothing is kept
  bool Screens() const { return kept != nullptr && kept->screens; }
};

// A launch, and when its time is over (LaunchOptions::timeout_seconds), for all runs of it
// together.
struct TimedRequest : LaunchRequest {
  explicit TimedRequest(const LaunchRequest& request);
  bool IsLate() const {
    return options.timeout_seconds > 0 && std::chrono::steady_clock::now() > deadline;
  }

  std::chrono::steady_clock::time_point deadline;
};

// A kernel-instance that is to run.
struct Instance {
  const frontend::EntryPoint* entry = nullptr;
  const KernelInfo* info = nullptr;
  const TimedRequest* request = nullptr;
  int width = 64;
  bool may_regroup = false;  // as LaunchState has it
  bool screens = false;      // as Program has it
  std::uint32_t number = 0;  // in Kin::queues
};

struct Session::State {
  explicit State(std::shared_ptr<const frontend::Module> loaded)
      : module(std::move(loaded)), needs(*module) {}
  ~State();

  std::shared_ptr<const frontend::Module> module;
  frontend::KernelNeeds needs;
  SessionOptions options;
  std::shared_ptr<Memory> memory;  // may be other sessions', too
  EnvelopeRecords envelopes;       // with SessionOptions::envelope
  std::unordered_map<frontend::Id, std::uint64_t> addresses;
  std::vector<LaunchState::LocalObject> local_objects;
  std::mutex mutex;  // of what follows
  // By width, and whether they screen (Program::screens).
  std::map<std::tuple<std::string, int, bool>, std::unique_ptr<const Program>> programs;
  // Of kernels whose launches were copied before: what the last launch executed, and the bytes of
  // the last copy.
  struct Past {
    std::uint64_t instructions = 0, copied = 0;
  };
  std::map<std::string, Past, std::less<>> pasts;
  std::set<std::string, std::less<>> unscreened;  // kernels of which a first run came to nothing

  Expected<void> PlaceGlobals();
  Expected<void> PlacePipes();
  Expected<void> Initialize(std::span<std::byte> bytes, frontend::Id type,
                            const frontend::Constant& constant);
  Expected<KernelInfo> DescribeKernel(std::string_view name) const;
  std::vector<std::string> KernelNames() const;
  LowerContext ContextFor(const SessionOptions& with) const;
  // Width 0: for a debugger, one work-item at a time; -1: for a debugger to which operations are
  // reported, too.
  Expected<const Program*> Lower(const frontend::EntryPoint& kernel, int width,
                                 bool screens = false);
  // A launch with its children; of one that has some, everything has to be kept.
  Expected<LaunchResult> LaunchOnce(const TimedRequest& request, int width,
                                    bool may_regroup = false, Kept* kept = nullptr);
  // Without them.
  Expected<LaunchResult> RunInstance(const Instance& instance, Kin* kin);
  Expected<LaunchResult> Launch(const LaunchRequest& request);
  // The run of a program that screens; none: it came to nothing, which is `given_up`, or there is
  // no such program.
  std::optional<LaunchResult> Screen(const TimedRequest& request, LaunchResult* given_up);
  Expected<const Program*> FindScreen(const LaunchRequest& request, int width);
  Expected<LaunchResult> LaunchFully(const TimedRequest& request);
  Expected<LaunchResult> LaunchKept(const TimedRequest& request, const Program& program, int width,
                                    bool may_regroup);
  // Whether it costs less to execute a launch of so many work-groups by one thread, group by group,
  // which is never made again, than to start threads and to copy what it may change.
  bool IsSmall(const std::string& kernel, std::uint64_t groups);
  Expected<void> BindArguments(const LaunchRequest& request, const KernelInfo& info,
                               LaunchState* launch, std::vector<Address>* temporary);
};

// "" if the module has no name for it.
std::string ParameterName(const frontend::Module& module, const frontend::Function& function,
                          frontend::Id parameter);

// Fills LaunchState::range, local and groups of what is asked for.
Expected<void> SetIndexSpace(const LaunchRequest& request, const KernelInfo& info,
                             LaunchState* launch);

// Whether work-groups have as many sub-groups as the kernel requires.
Expected<void> CheckSubgroupCount(const KernelInfo& info, const LaunchState& launch);

// Whether there are work-groups of which batches may have several. The request may be a wrong one.
bool MayShareBatches(const Program& program, const frontend::EntryPoint& entry,
                     const LaunchRequest& request);

// Runs the groups of a launch whose arguments are bound; before that fills `kept`, if there is one.
LaunchResult ExecuteLaunch(LaunchState* launch, const LaunchRequest& request, Kept* kept);

// Whether work-items take turns as a choice source says.
inline bool TakesTurns(const LaunchOptions& options) {
  return options.seed != 0 || !options.choices.empty() || options.record_choices;
}

}  // namespace assay::interp
