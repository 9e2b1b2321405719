// @memory: the kernels of litmus tests.
#include <fmt/format.h>

#include "oracle/checks/litmus.h"

namespace assay::oracle {
namespace {

// So many work-items of a launch wait for others that do not come; then nobody waits.
constexpr std::uint32_t kMostVainWaits = 16;

std::string ScopeOf(Place place) {
  return place == Place::kDevice ? "memory_scope_device" : "memory_scope_work_group";
}

std::string AccessText(const Access& access, Ordering ordering, Place place) {
  const bool ordered = ordering == Ordering::kReleaseAcquire;
  const bool strict = ordering == Ordering::kSeqCst;
  const std::string at = fmt::format("v{}", access.variable);
  const auto order = [&](const char* name) {
    return strict ? "memory_order_seq_cst" : ordered ? name : "memory_order_relaxed";
  };
  if (access.kind == 'W') {
    return fmt::format("atomic_store_explicit({}, {}, {}, {});", at, access.value,
                       order("memory_order_release"), ScopeOf(place));
  }
  // A relaxed addition continues the release sequence of the store that it reads.
  const std::string call = access.kind == 'R'
                               ? fmt::format("atomic_load_explicit({}, {}, {})", at,
                                             order("memory_order_acquire"), ScopeOf(place))
                               : fmt::format("atomic_fetch_add_explicit({}, 1, {}, {})", at,
                                             order("memory_order_relaxed"), ScopeOf(place));
  return fmt::format("r{} = {};", access.result, call);
}

std::string FenceText(Ordering ordering, Place place) {
  const char* order = ordering == Ordering::kFences         ? "memory_order_acq_rel"
                      : ordering == Ordering::kSeqCstFences ? "memory_order_seq_cst"
                                                            : nullptr;
  if (order == nullptr) return "";
  return fmt::format(" atomic_work_item_fence({}, {}, {});",
                     place == Place::kLocal ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE", order,
                     ScopeOf(place));
}

std::string ProcessText(const Litmus& test, std::size_t process,
                        const std::vector<Ordering>& orderings, Place place) {
  std::string text = " switch (which) {";
  const auto& accesses = test.processes[process];
  for (const Ordering ordering : orderings) {
    text += fmt::format(" case {}:", static_cast<int>(ordering));
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      if (k > 0) text += FenceText(ordering, place);
      text += " " + AccessText(accesses[k], ordering, place);
    }
    text += " break;";
  }
  text += " }";
  std::string before, after;
  for (const Access& access : accesses) {
    if (access.result < 0) continue;
    before += fmt::format(" int r{} = 0;", access.result);
    after += fmt::format(" out[i * {0} + {1}] = r{1};", test.results, access.result);
  }
  return fmt::format("{}{}{}", before, text, after);
}

// Which process a work-item is, and of which block.  Groups take tickets when they begin: those
// that begin at one time are processes of one block, whichever numbers the device gives them.
std::string PlaceText(std::size_t processes, Place place) {
  if (place != Place::kDevice) {
    return fmt::format(
        "  uint p = get_local_id(0) / {0}, l = get_local_id(0) % {0}, b = get_group_id(0);\n",
        kLitmusItems);
  }
  return fmt::format(
      R"(  local uint ticket;
  if (get_local_id(0) == 0) ticket = atomic_fetch_add_explicit(&arrived[{2}], 1, memory_order_relaxed, memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint p = ticket / stride % {0}, l = get_local_id(0);
  uint b = ticket / (stride * {0}) * stride + ticket % stride;
  volatile global atomic_int* here = &arrived[{1} + b * {4} + l];
  uint met = 0, waited = atomic_load_explicit(&arrived[{3}], memory_order_relaxed, memory_scope_device) < {5} ? 0 : patience;
)",
      processes, static_cast<int>(kLitmusCounts), static_cast<int>(kTickets),
      static_cast<int>(kVainWaits), kLitmusItems, kMostVainWaits);
}

// Before an instance its processes meet; all waiting of a work-item together ends after `patience`
// looks.  The last one to come goes on at once, and others a little later: it lets some time pass,
// another one in each round.
std::string MeetText(std::size_t processes, Place place) {
  if (place != Place::kDevice) return "";
  return fmt::format(
      R"(    atomic_fetch_add_explicit(here, 1, memory_order_relaxed, memory_scope_device);
    uint before = waited;
    while (waited < patience && atomic_load_explicit(here, memory_order_relaxed, memory_scope_device) < {0} * (k + 1)) {{
      if (++waited == patience) atomic_fetch_add_explicit(&arrived[{1}], 1, memory_order_relaxed, memory_scope_device);
    }}
    bool last = waited == before;
    if (!last && waited < patience) ++met;
    for (uint d = last ? i * 7 % delay : 0; d > 0; --d) atomic_load_explicit(here, memory_order_relaxed, memory_scope_device);
)",
      processes, static_cast<int>(kVainWaits));
}

// Stores to other cache lines that all processes of the instance use: the stores of the test wait
// behind these, if they can, and later loads need not.
std::string StressText(Place place) {
  return fmt::format(
      "    for (uint s = 0; s < stress; ++s)\n"
      "      atomic_store_explicit(&arrived[{} + (b + l + s) % {} * 16], k, "
      "memory_order_relaxed, {});\n",
      kLitmusCounts + kLitmusInstances / kLitmusRounds, kStressCells / 16, ScopeOf(place));
}

// Where the variables of instance i are.  With `warm`, processes read them before they meet.
std::string VariablesText(const Litmus& test, Place place) {
  std::string text;
  for (int v = 0; v < test.variables; ++v) {
    text += fmt::format(
        "    volatile {0} atomic_int* v{1} = m + {1} * {2} * spacing +\n"
        "      (({3} * (mix * 4 + {4}) + mix) & ({2} - 1)) * spacing;\n"
        "    if (warm) atomic_load_explicit(v{1}, memory_order_relaxed, {5});\n",
        place == Place::kLocal ? "local" : "global", v,
        place == Place::kLocal ? kLitmusBlock : kLitmusInstances,
        place == Place::kLocal ? "j" : "i", 2 * v + 1, ScopeOf(place));
  }
  return text;
}

// The variables' memory `m`, before the rounds; and what is done after them.
std::pair<std::string, std::string> MemoryTexts(const Litmus& test, Place place) {
  if (place == Place::kDevice) {
    return {"  volatile global atomic_int* m = memory;\n",
            fmt::format("  if (met > 0) atomic_fetch_add_explicit(&arrived[{}], met, "
                        "memory_order_relaxed, memory_scope_device);\n",
                        static_cast<int>(kMeetings))};
  }
  if (place == Place::kGroup) return {"  volatile global atomic_int* m = memory;\n", ""};
  const std::uint32_t cells = static_cast<std::uint32_t>(test.variables) * kLitmusBlock;
  // The host finds variables where a buffer would have them: by number of block and cell.
  return {fmt::format(
              R"(  local atomic_int cells[{0}];
  volatile local atomic_int* m = cells;
  spacing = 1;
  for (uint k = get_local_id(0); k < {0}; k += get_local_size(0)) atomic_store_explicit(&m[k], 0, memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
)",
              cells),
          fmt::format(
              R"(  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = get_local_id(0); k < {0}; k += get_local_size(0)) atomic_store_explicit(&memory[b * {0} + k], atomic_load_explicit(&m[k], memory_order_relaxed, memory_scope_work_group), memory_order_relaxed, memory_scope_work_group);
)",
              cells)};
}

}  // namespace

// One kernel has all orderings: compiling costs more than running.
std::string LitmusProgram(const Litmus& test, const std::vector<Ordering>& orderings, Place place) {
  std::string branches;
  for (std::size_t p = 0; p < test.processes.size(); ++p) {
    branches += fmt::format("    {}if (p == {}) {{{} }}\n", p == 0 ? "" : "else ", p,
                            ProcessText(test, p, orderings, place));
  }
  const auto [before, after] = MemoryTexts(test, place);
  return fmt::format(
      "kernel void ask(volatile global atomic_int* memory, volatile global atomic_int* arrived, "
      "global int* out, uint which, uint stride, uint spacing, uint mix, uint patience, uint warm, "
      "uint stress, uint delay) {{\n{}{}  for (uint k = 0; k < {}; ++k) {{\n    uint j = l * {} + "
      "k, i = b * {} + j;\n{}{}{}{}  }}\n{}}}\n",
      PlaceText(test.processes.size(), place), before, kLitmusRounds, kLitmusRounds, kLitmusBlock,
      VariablesText(test, place), MeetText(test.processes.size(), place), StressText(place),
      branches, after);
}

}  // namespace assay::oracle
