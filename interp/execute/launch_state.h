// What all threads of a launch share, and the work-group that one of them runs.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/limits.h"
#include "frontend/module.h"
#include "interp/execute/additions.h"
#include "interp/execute/group_shares.h"
#include "interp/execute/launch_options.h"
#include "interp/execute/pipe_records.h"
#include "interp/execute/pointer_view.h"
#include "interp/execute/watch.h"
#include "interp/program/image.h"
#include "numerics/rounded.h"

namespace assay::interp {

class ChoiceSource;
class DeviceQueues;
class EnvelopeRecords;
struct EnvelopeOptions;

struct LaunchState {
  const frontend::Module* module = nullptr;
  const Program* program = nullptr;
  Memory* memory = nullptr;
  const Watches* watches = nullptr;  // who makes what watches the execution
  NdRange range;
  std::array<std::uint64_t, 3> local = {1, 1, 1};  // of a group that is not at an edge
  std::array<std::uint64_t, 3> groups = {1, 1, 1};
  std::vector<std::vector<std::byte>> parameters;  // bytes of each kernel parameter
  // Objects of the work-group: reserved addresses and how large they are.
  struct LocalObject {
    Address address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  // in the group's local memory
  };
  std::vector<LocalObject> local_objects;
  // Arguments.  A value of an image type is one more than the place here.
  struct Image {
    Address address = 0;
    ImageDescriptor image;
    ImageAccess access = ImageAccess::kReadOnly;
    int parameter = 0;
    // Another parameter that has the same image, where one of the two may be written; -1: none.
    int conflict = -1;
    bool is_buffer = false;  // its memory is a buffer argument, too
  };
  std::vector<Image> images;
  // A value of a sampler type: up to kLiteralSamplers as LiteralSampler says; what is above is one
  // more than the place here.
  std::vector<SamplerDescriptor> samplers;
  std::uint64_t local_bytes = 0;
  std::uint64_t groups_in_batch = 1;  // so many small groups are executed at once (packing.h)
  LaunchOptions options;
  std::byte undefined_byte{};  // what undefined values are made of
  bool is_parallel = false;    // several threads run groups
  // Work-items may leave their groups (stragglers.h), and groups share batches (packing.h), if the
  // program can.
  bool may_regroup = false;
  std::vector<std::unique_ptr<numerics::RoundedEvaluator>> evaluators;  // beside math_calls
  // Instructions that declare objects of the module, by address.
  std::unordered_map<Address, std::uint32_t> declarations;
  std::unordered_set<Address> constant_buffers;  // that no parameter has as global memory
  std::vector<bool> written_places;              // regions that stores and atomics may reach
  bool keeps_written_places = false;             // a copy of them; no others are written
  std::vector<AddedObject> added_objects;        // in which threads add by themselves (additions.h)
  // Of a launch that enqueues kernels, or is enqueued: what all of them share, and who this is.
  DeviceQueues* queues = nullptr;
  std::uint32_t instance = 0;
  std::vector<KeptAccess> kept_accesses;  // where they ask for them
  ChoiceSource* choices = nullptr;        // where work-items take their turns as it says
  // Shared by workers that take turns.
  std::shared_ptr<DefinednessWatch> definedness;
  std::shared_ptr<RaceWatch> races;
  const EnvelopeOptions* envelope = nullptr;  // of an envelope run
  EnvelopeRecords* envelope_records = nullptr;
  const EnvelopeOptions* imprecision = nullptr;  // it computes as another device may
  PointerRecords pointers;
  PipeRecords pipes;  // programs that use some run on one thread

  GroupShares shares;                // of threads that run groups each for itself
  std::uint64_t next_group = 0;      // where workers take turns on one thread
  std::vector<std::uint32_t> hands;  // LaunchOptions::deal: the thread that gets each group
  std::atomic<std::uint64_t> instructions{0};
  std::atomic<std::uint64_t> output_bytes{0};  // that are kept
  std::atomic<bool> stop{false};
  std::chrono::steady_clock::time_point deadline;
  base::Budget budget;
  std::mutex mutex;  // of what follows
  LaunchEnd end = LaunchEnd::kCompleted;
  std::string message;
  std::uint64_t next_output = 0;  // the group whose output is written next
  std::map<std::uint64_t, std::string> waiting_output;
  std::string output;

  // An undefined value of the kind.
  std::uint64_t UndefinedBits(Kind kind) const {
    return static_cast<std::uint64_t>(undefined_byte) * 0x0101010101010101 & MaskOf(kind);
  }
  std::uint64_t GroupsBegun() const { return next_group + shares.Taken(); }
  std::uint64_t GroupCount() const { return groups[0] * groups[1] * groups[2]; }
  // Of a group by its linear id.
  std::array<std::uint64_t, 3> GroupId(std::uint64_t group) const {
    if (group < groups[0]) return {group, 0, 0};  // without divisions
    return {group % groups[0], group / groups[0] % groups[1], group / (groups[0] * groups[1])};
  }
  void Stop(LaunchEnd why, std::string text);
  bool IsOverLimit() const {
    return options.max_instructions != 0 && instructions > options.max_instructions;
  }
  void StopAtLimit();
  // Adds to the message of a limit on instructions or time, once.
  void TellAtLimit(std::string_view where);
  // Of a program that screens: something is to be looked at by one that does not.
  void GiveUp() { Stop(LaunchEnd::kFindingLimit, {}); }
};

// A work-group.
struct GroupPosition {
  std::uint64_t number = 0;  // linear
  std::array<std::uint64_t, 3> id = {0, 0, 0};
  std::array<std::uint64_t, 3> size = {1, 1, 1};
  std::uint64_t items = 1;
};
GroupPosition PositionOf(const LaunchState& launch, std::uint64_t group);
// The global id of a work-item by its linear local id.
std::array<std::uint64_t, 3> GlobalIdOf(const LaunchState& launch, std::uint64_t group,
                                        std::uint64_t item);

// The largest sub-group: "the maximum size of a sub-group within the dispatch" (OpenCL C 6.15.1).
std::uint32_t SubgroupMaxSize(const LaunchState& launch);

}  // namespace assay::interp
