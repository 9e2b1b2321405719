// @atomics: fences that some work-items pass more often than others, and locks that are flags.
#include <fmt/format.h>

#include <algorithm>

#include "oracle/checks/atomics.h"

namespace assay::oracle {
namespace {

// May a fence have the scope of the device?
bool HasDeviceFences(const DeviceFacts& facts) {
  constexpr std::uint64_t kDevice = 1 << 5;  // CL_DEVICE_ATOMIC_SCOPE_DEVICE
  if (!HasAtomicFeature(facts, "__opencl_c_atomic_scope_device")) return false;
  return facts.version < 300 ||
         (facts.Number(DeviceQuery::kAtomicFenceCapabilities) & kDevice) != 0;
}

std::vector<std::string> FencesOf(const DeviceFacts& facts, bool legacy) {
  constexpr const char* kFlags[] = {"CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE",
                                    "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"};
  std::vector<std::string> calls;
  for (const char* flags : kFlags) {
    if (legacy) {
      for (const char* function : {"mem_fence", "read_mem_fence", "write_mem_fence"}) {
        calls.push_back(fmt::format("{}({})", function, flags));
      }
      continue;
    }
    for (const char* scope : {"memory_scope_work_group", "memory_scope_device"}) {
      if (scope == std::string_view("memory_scope_device") && !HasDeviceFences(facts)) continue;
      for (const char* order : {"memory_order_acquire", "memory_order_release",
                                "memory_order_acq_rel", "memory_order_seq_cst"}) {
        const bool strict = order == std::string_view("memory_order_seq_cst");
        if (strict && !HasAtomicFeature(facts, kSeqCst)) continue;
        calls.push_back(fmt::format("atomic_work_item_fence({}, {}, {})", flags, order, scope));
      }
    }
  }
  return calls;
}

// How often a work-item of a group passes the fence.
constexpr std::uint32_t kRoundsAtMost = 29, kWentOn = 100;
std::uint32_t RoundsOf(std::uint64_t lane) {
  return static_cast<std::uint32_t>((lane * 7 + 3) % kRoundsAtMost);
}

// A fence orders accesses and waits for nobody, so work-items may pass it as often as they like.
Expected<void> RunFences(CheckRun& run, bool legacy) {
  const std::vector<std::string> fences = FencesOf(run.facts(), legacy);
  std::vector<KernelCase> cases;
  for (const std::string& fence : fences) {
    cases.push_back({.number = static_cast<std::uint32_t>(cases.size()),
                     .text = fmt::format("for (uint k = 0; k < rounds; ++k) {{ {}; ++out[i]; }} "
                                         "out[i] += {};",
                                         fence, kWentOn)});
  }
  const std::string source = CasesProgram(
      run.facts(), "global uint* out",
      fmt::format("size_t i = get_global_id(0); uint rounds = ((uint)get_local_id(0) * 7 + 3) % "
                  "{}; out[i] = 0;",
                  kRoundsAtMost),
      cases);
  for (std::size_t which = 0; which < fences.size(); ++which) {
    const auto number = static_cast<std::uint32_t>(which);
    const KernelRequest request{.source = source,
                                .options = run.facts().Standard(),
                                .kernel = CaseKernel(run.facts(), number),
                                .arguments = {ValueOf(number), OutputOf(kAtomicItems * 4)},
                                .global = {kAtomicItems, 1, 1},
                                .local = {kAtomicGroupSize, 1, 1}};
    const auto answers = run.Ask(request);
    if (!answers) return tl::unexpected<Error>(answers.error());
    const auto out = NumbersOf<std::uint32_t>((*answers)[0]);
    for (std::uint64_t item = 0; item < kAtomicItems; ++item) {
      const std::uint32_t rounds = RoundsOf(item % kAtomicGroupSize);
      run.Answer(out[item] == rounds + kWentOn, [&] {
        return CheckSighting{
            .input = fmt::format("{} in a loop of {} rounds, then {} is added; work-item {} of 64",
                                 fences[which], rounds, kWentOn, item % kAtomicGroupSize),
            .observed = fmt::format("{}", out[item]),
            .expected = fmt::format("{}", rounds + kWentOn),
            .options = ""};
      });
    }
  }
  return {};
}

// ---- Locks ----

// Work-items of a launch with flags in global memory.
constexpr std::uint64_t kLockItems = kAtomicGroupSize * 8;

// How a flag becomes a lock; {m} is the fence's memory, {s} the scope.
struct Locking {
  const char* name;
  bool fences;
  const char* feature;  // "": every device has it
  const char* take;     // sets `held`
  const char* give;
};
constexpr Locking kLockings[] = {
    {"relaxed flags with acquire and release fences", true, "",
     "held = atomic_flag_test_and_set_explicit(f + c, memory_order_relaxed, {s}); "
     "atomic_work_item_fence({m}, memory_order_acquire, {s});",
     "atomic_work_item_fence({m}, memory_order_release, {s}); atomic_flag_clear_explicit(f + c, "
     "memory_order_relaxed, {s});"},
    {"relaxed flags with acq_rel fences", true, "",
     "held = atomic_flag_test_and_set_explicit(f + c, memory_order_relaxed, {s}); "
     "atomic_work_item_fence({m}, memory_order_acq_rel, {s});",
     "atomic_work_item_fence({m}, memory_order_acq_rel, {s}); atomic_flag_clear_explicit(f + c, "
     "memory_order_relaxed, {s});"},
    {"acquire and release flags", false, kAcqRel,
     "held = atomic_flag_test_and_set_explicit(f + c, memory_order_acquire, {s});",
     "atomic_flag_clear_explicit(f + c, memory_order_release, {s});"},
    {"acq_rel and release flags", false, kAcqRel,
     "held = atomic_flag_test_and_set_explicit(f + c, memory_order_acq_rel, {s});",
     "atomic_flag_clear_explicit(f + c, memory_order_release, {s});"},
    {"seq_cst flags", false, kSeqCst,
     "held = atomic_flag_test_and_set_explicit(f + c, memory_order_seq_cst, {s});",
     "atomic_flag_clear_explicit(f + c, memory_order_seq_cst, {s});"},
};

std::vector<Locking> LockingsOf(const DeviceFacts& facts, bool local) {
  std::vector<Locking> lockings;
  for (const Locking& locking : kLockings) {
    if (!HasAtomicFeature(facts, locking.feature)) continue;
    if (!local && locking.fences && !HasDeviceFences(facts)) continue;
    lockings.push_back(locking);
  }
  return lockings;
}

// Who passes a room whose flag is set does not wait: the holder has been there or is the first one.
// So each of the `n` rooms is found by a work-item, and each of the `n` work-items stops in the
// room that it finds first.
constexpr std::string_view kVisits = R"(
  for (uint c = 0, found = 0; c < n && !found; ++c) {
    bool held = true;
    switch (which) {
{take}    }
    if (!held) {
      if (visitors[c] == n) { visitors[c] = me; found = 1; }
      switch (which) {
{give}      }
    }
  }
)";

std::string VisitsText(const std::vector<Locking>& lockings, bool local) {
  const std::pair<std::string, std::string> names[] = {
      {"{m}", local ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE"},
      {"{s}", local ? "memory_scope_work_group" : "memory_scope_device"}};
  std::string take, give;
  for (std::size_t k = 0; k < lockings.size(); ++k) {
    take += fmt::format("    case {}: {} break;\n", k, lockings[k].take);
    give += fmt::format("      case {}: {} break;\n", k, lockings[k].give);
  }
  const std::pair<std::string, std::string> parts[] = {{"{take}", take}, {"{give}", give}};
  return Filled(Filled(std::string(kVisits), parts), names);
}

// The flags and the visitors are in local memory, which is an argument.
std::string LocalLocks(const std::vector<Locking>& lockings) {
  return fmt::format(
      R"(kernel void ask(uint which, global uint* rooms, global uint* states, volatile local atomic_flag* f, local uint* visitors) {{
  uint me = get_local_id(0), n = get_local_size(0);
  visitors[me] = n;
  atomic_flag_clear_explicit(f + me, memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
{}  barrier(CLK_LOCAL_MEM_FENCE);
  rooms[get_global_id(0)] = visitors[me];
  states[get_global_id(0)] = atomic_flag_test_and_set_explicit(f + me, memory_order_relaxed, memory_scope_work_group);
}}
)",
      VisitsText(lockings, true));
}

// The second kernel asks for the flags afterwards.
std::string GlobalLocks(const std::vector<Locking>& lockings) {
  return fmt::format(
      R"(kernel void ask(uint which, volatile global uint* visitors, volatile global atomic_flag* f, {}) {{
{}  uint me = get_global_id(0), n = get_global_size(0);
{}}}
kernel void states(global uint* states, volatile global atomic_flag* f) {{
  size_t i = get_global_id(0);
  states[i] = atomic_flag_test_and_set_explicit(f + i, memory_order_relaxed, memory_scope_device);
}}
)",
      kGateParameters, kMeetAtGate, VisitsText(lockings, false));
}

void JudgeLocks(CheckRun& run, const std::string& how, std::span<const std::uint32_t> visitors,
                std::span<const std::uint32_t> states) {
  const std::uint64_t count = visitors.size();
  std::vector<std::uint64_t> visits(count);
  for (const std::uint32_t visitor : visitors) {
    if (visitor < count) ++visits[visitor];
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::string input =
        fmt::format("{} locks by {}, as many work-items, room {}", count, how, k);
    if (visitors[k] >= count) {
      run.Expect(false, input, "found by nobody", "found by one work-item");
      continue;
    }
    run.Expect(visits[visitors[k]] == 1, input,
               fmt::format("its work-item found {} rooms", visits[visitors[k]]),
               "each work-item finds one");
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    run.Expect(states[k] == 0, fmt::format("{} locks by {}, flag {}", count, how, k), "set",
               "clear after all locks were given back");
  }
}

Expected<void> AskLocalLocks(CheckRun& run, std::uint32_t which, const std::string& source,
                             const std::string& how) {
  const KernelRequest request{
      .source = source,
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {ValueOf(which), OutputOf(kAtomicItems * 4), OutputOf(kAtomicItems * 4),
                    LocalOf(kAtomicGroupSize * 4), LocalOf(kAtomicGroupSize * 4)},
      .global = {kAtomicItems, 1, 1},
      .local = {kAtomicGroupSize, 1, 1}};
  const auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto visitors = NumbersOf<std::uint32_t>((*answers)[0]);
  const auto states = NumbersOf<std::uint32_t>((*answers)[1]);
  for (std::uint64_t group = 0; group < kAtomicGroups; ++group) {
    const std::uint64_t first = group * kAtomicGroupSize;
    JudgeLocks(run, how, std::span(visitors).subspan(first, kAtomicGroupSize),
               std::span(states).subspan(first, kAtomicGroupSize));
  }
  return {};
}

Expected<void> AskGlobalLocks(CheckRun& run, std::uint32_t which, const std::string& source,
                              const std::string& how) {
  KernelRequest request{
      .source = source,
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {ValueOf(which), OutputOf(kLockItems * 4), OutputOf(kLockItems * 4),
                    OutputOf(kGateBytes), ValueOf(run.GatePatience())},
      .global = {kLockItems, 1, 1},
      .local = {kAtomicGroupSize, 1, 1}};
  const std::vector<std::uint32_t> nobody(kLockItems, kLockItems);
  const auto locked = run.Ask(request, {},
                              {BytesOf(nobody), std::vector<std::byte>(kLockItems * 4),
                               std::vector<std::byte>(kGateBytes)});
  if (!locked) return tl::unexpected<Error>(locked.error());
  run.NoteGate((*locked)[2]);
  request.kernel = "states";
  request.arguments = {OutputOf(kLockItems * 4), OutputOf(kLockItems * 4)};
  const auto states = run.Ask(request, {}, {{}, (*locked)[1]});
  if (!states) return tl::unexpected<Error>(states.error());
  JudgeLocks(run, how, NumbersOf<std::uint32_t>((*locked)[0]),
             NumbersOf<std::uint32_t>((*states)[0]));
  return {};
}

Expected<void> RunLocks(CheckRun& run, bool local) {
  const std::vector<Locking> lockings = LockingsOf(run.facts(), local);
  const std::string source = local ? LocalLocks(lockings) : GlobalLocks(lockings);
  const std::uint64_t launches = run.options().Of(2, 16, 128);
  for (std::size_t k = 0; k < lockings.size(); ++k) {
    const auto which = static_cast<std::uint32_t>(k);
    const std::string how =
        fmt::format("{} in {} memory", lockings[k].name, local ? "local" : "global");
    for (std::uint64_t launch = 0; launch < launches; ++launch) {
      const auto asked =
          local ? AskLocalLocks(run, which, source, how) : AskGlobalLocks(run, which, source, how);
      if (!asked) return asked;
    }
  }
  return {};
}

std::string LockLack(const DeviceFacts& facts, bool local) {
  if (!local && !HasAtomicFeature(facts, "__opencl_c_atomic_scope_device")) {
    return "CL_DEVICE_OPENCL_C_FEATURES: no __opencl_c_atomic_scope_device";
  }
  return LockingsOf(facts, local).empty() ? "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: not of the device"
                                          : "";
}

}  // namespace

void AddLockChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  const std::string lack =
      facts.c_standard >= 200 ? "" : "CL_DEVICE_OPENCL_C_VERSION: atomic types need OpenCL C 2.0";
  const auto add = [&](const char* name, const char* clause, std::string lacks, auto run) {
    checks->push_back({.list = CheckList::kAtomics,
                       .name = name,
                       .clause = clause,
                       .lacks = std::move(lacks),
                       .run = std::move(run)});
  };
  add("atomics_older_fences", "OpenCL C 6.15.9", "",
      [](CheckRun& run) { return RunFences(run, true); });
  add("atomics_fences", "OpenCL C 6.15.12, Fences", lack,
      [](CheckRun& run) { return RunFences(run, false); });
  for (const bool local : {false, true}) {
    add(local ? "atomics_flag_locks_local" : "atomics_flag_locks_global", "OpenCL C 6.15.12",
        lack.empty() ? LockLack(facts, local) : lack,
        [local](CheckRun& run) { return RunLocks(run, local); });
  }
}

}  // namespace assay::oracle
