// @memory: litmus tests, run many times.
//
// A test is a few processes that load, store or add on shared variables.  An outcome is what the
// loads gave and what the variables hold at the end.  The shapes are those of herd's OpenCL tests;
// which orders forbid the outcome that is asked follows from OpenCL API 3.3.4 (testsuites/litmus
// has each with the verdict of an enumeration).  An outcome that no interleaving gives, and that is
// not forbidden, is weak: it is counted.
//
// Many instances run in one launch.  Instances differ in where their variables lie and in how far
// apart the groups of their processes are, and processes wait for each other, but not for long: no
// progress of another group is relied on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>

#include "oracle/checks/check.h"

namespace assay::oracle {
namespace {

constexpr char kModel[] = "OpenCL API 3.3.4";
constexpr std::uint32_t kLocalItems = 8;       // of a process in a work-group
constexpr std::uint32_t kRoundsEach = 32;      // instances of a work-item
constexpr std::uint32_t kInstances = 1 << 16;  // of a launch
// So many work-items of a launch wait for others that do not come; then nobody waits.
constexpr std::uint32_t kMostVainWaits = 40;

enum class Ordering : std::uint8_t { kRelaxed, kReleaseAcquire, kSeqCst, kFences, kSeqCstFences };
constexpr std::pair<Ordering, const char*> kOrderings[] = {
    {Ordering::kRelaxed, "relaxed"},
    {Ordering::kReleaseAcquire, "release_acquire"},
    {Ordering::kSeqCst, "seq_cst"},
    {Ordering::kFences, "acq_rel_fences"},
    {Ordering::kSeqCstFences, "seq_cst_fences"}};

// Where the processes of an instance are, and its variables.
enum class Place : std::uint8_t { kDevice, kGroup, kLocal };
constexpr std::pair<Place, const char*> kPlaces[] = {
    {Place::kDevice, "device"}, {Place::kGroup, "group"}, {Place::kLocal, "local"}};

struct LitmusShape {
  const char* name;
  // "Wx1 Ry | Wy1 Rx": stores, loads, A adds one; loads and additions set r0, r1, ... in order.
  const char* processes;
  const char* question;  // "r0=0 r1=0 x=1"
  // For each ordering: F where the model forbids the outcome, else A.
  const char* verdicts;
};

constexpr LitmusShape kShapes[] = {
    {"SB", "Wx1 Ry | Wy1 Rx", "r0=0 r1=0", "AAFAF"},
    {"MP", "Wx1 Wy1 | Ry Rx", "r0=1 r1=0", "AFFFF"},
    {"LB", "Rx Wy1 | Ry Wx1", "r0=1 r1=1", "AFFFF"},
    {"S", "Wx2 Wy1 | Ry Wx1", "r0=1 x=2", "AFFFF"},
    {"R", "Wx1 Wy1 | Wy2 Rx", "y=2 r0=0", "AAFAF"},
    {"2+2W", "Wx1 Wy2 | Wy1 Wx2", "x=1 y=1", "AAFAF"},
    {"WRC", "Wx1 | Rx Wy1 | Ry Rx", "r0=1 r1=1 r2=0", "AFFFF"},
    {"RWC", "Wx1 | Rx Ry | Wy1 Rx", "r0=1 r1=0 r2=0", "AAFAA"},
    {"ISA2", "Wx1 Wy1 | Ry Wz1 | Rz Rx", "r0=1 r1=1 r2=0", "AFFFF"},
    {"IRIW", "Wx1 | Wy1 | Rx Ry | Ry Rx", "r0=1 r1=0 r2=1 r3=0", "AAFAA"},
    {"MP_add", "Wx1 Wy1 | Ay | Ry Rx", "r0=1 r1=2 r2=0", "AFFFF"},
    {"CoRR", "Wx1 | Rx Rx", "r0=1 r1=0", "FFFFF"},
    {"CoRR2", "Wx1 | Wx2 | Rx Rx | Rx Rx", "r0=1 r1=2 r2=2 r3=1", "FFFFF"},
    {"CoWR", "Wx1 Rx | Wx2", "r0=2 x=1", "FFFFF"},
    {"CoRW1", "Rx Wx1", "r0=1", "FFFFF"},
    {"CoRW2", "Rx Wx1 | Wx2", "r0=2 x=2", "FFFFF"},
    {"CoWW", "Wx1 Wx2", "x=1", "FFFFF"},
    {"INC2", "Ax | Ax", "x=1", "FFFFF"},
};

struct Access {
  char kind = 'W';
  int variable = 0;
  unsigned value = 0;  // of W
  int result = -1;     // the register of R and A
};
struct Litmus {
  std::vector<std::vector<Access>> processes;
  int results = 0, variables = 0;
};

constexpr char kVariables[] = "xyz";

Litmus Parsed(const LitmusShape& shape) {
  Litmus test;
  test.processes.emplace_back();
  std::istringstream words(shape.processes);
  for (std::string word; words >> word;) {
    if (word == "|") {
      test.processes.emplace_back();
      continue;
    }
    Access access{.kind = word[0], .variable = word[1] - 'x'};
    if (word[0] == 'W') access.value = static_cast<unsigned>(word[2] - '0');
    if (word[0] != 'W') access.result = test.results++;
    test.variables = std::max(test.variables, access.variable + 1);
    test.processes.back().push_back(access);
  }
  return test;
}

// The registers, then the variables.
using State = std::vector<unsigned>;

std::string StateText(const Litmus& test, const State& state) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < state.size(); ++k) {
    const auto result = static_cast<int>(k);
    parts.push_back(result < test.results
                        ? fmt::format("r{}={}", k, state[k])
                        : fmt::format("{}={}", kVariables[result - test.results], state[k]));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

bool Matches(const LitmusShape& shape, const Litmus& test, const State& state) {
  std::istringstream words(shape.question);
  for (std::string word; words >> word;) {
    const bool is_result = word[0] == 'r';
    const int place = is_result ? word[1] - '0' : test.results + word[0] - 'x';
    const auto value = static_cast<unsigned>(word.back() - '0');
    if (state[static_cast<std::size_t>(place)] != value) return false;
  }
  return true;
}

// Every outcome of an interleaving.
void Interleave(const Litmus& test, std::vector<std::size_t> at, State state,
                std::set<State>* outcomes) {
  bool ended = true;
  for (std::size_t p = 0; p < test.processes.size(); ++p) {
    if (at[p] == test.processes[p].size()) continue;
    ended = false;
    const Access& access = test.processes[p][at[p]];
    State next = state;
    unsigned& variable = next[static_cast<std::size_t>(test.results + access.variable)];
    if (access.result >= 0) next[static_cast<std::size_t>(access.result)] = variable;
    if (access.kind == 'W') variable = access.value;
    if (access.kind == 'A') ++variable;
    std::vector<std::size_t> later = at;
    ++later[p];
    Interleave(test, std::move(later), std::move(next), outcomes);
  }
  if (ended) outcomes->insert(state);
}

// ---- Kernels ----

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

// The processes of an instance are work-items of groups that lie `stride` apart, or of one group.
// One kernel has all orderings: compiling costs more than running.
std::string LitmusProgram(const Litmus& test, const std::vector<Ordering>& orderings, Place place) {
  const char* space = place == Place::kLocal ? "local" : "global";
  const std::size_t processes = test.processes.size();
  const std::uint32_t block = kLocalItems * kRoundsEach;
  std::string locations, branches;
  for (int v = 0; v < test.variables; ++v) {
    const std::string number = place == Place::kLocal ? "j" : "i";
    locations += fmt::format(
        "    volatile {0} atomic_int* v{1} = m + {1} * {2} * spacing + (({3} * (mix * 4 + {4}) + "
        "mix) "
        "& ({2} - 1)) * spacing;\n",
        space, v, place == Place::kLocal ? block : kInstances, number, 2 * v + 1);
  }
  for (std::size_t p = 0; p < processes; ++p) {
    branches += fmt::format("    {}if (p == {}) {{{} }}\n", p == 0 ? "" : "else ", p,
                            ProcessText(test, p, orderings, place));
  }
  const std::string where =
      place == Place::kDevice
          ? fmt::format(
                "{3}  size_t g = get_group_id(0);\n  uint p = g / stride % {0};\n  uint b = g / "
                "(stride * {0}) * stride + g % stride, l = get_local_id(0);\n"
                "  volatile global atomic_int* here = &arrived[1 + b * {1} + l];\n"
                "  atomic_fetch_add_explicit(here, 1, memory_order_relaxed, "
                "memory_scope_device);\n"
                "  uint t = atomic_load_explicit(&arrived[0], memory_order_relaxed, "
                "memory_scope_device) < {2} ? 0 : patience;\n"
                "  while (t < patience && atomic_load_explicit(here, memory_order_relaxed, "
                "memory_scope_device) < {0}) {{\n    if (++t == patience) "
                "atomic_fetch_add_explicit(&arrived[0], 1, memory_order_relaxed, "
                "memory_scope_device);\n  }}\n",
                processes, kLocalItems, kMostVainWaits, kMeetAtGate)
          : fmt::format(
                "  uint p = get_local_id(0) / {0}, l = get_local_id(0) % {0}, b = "
                "get_group_id(0);\n",
                kLocalItems);
  const std::string local =
      place != Place::kLocal
          ? "  volatile global atomic_int* m = memory;\n"
          : fmt::format(
                "  local atomic_int cells[{0}];\n  volatile local atomic_int* m = cells;\n  "
                "spacing = 1;\n  for (uint k = get_local_id(0); k < {0}; k += "
                "get_local_size(0)) atomic_store_explicit(&m[k], 0, memory_order_relaxed, "
                "memory_scope_work_group);\n  barrier(CLK_LOCAL_MEM_FENCE);\n",
                static_cast<std::uint32_t>(test.variables) * block);
  std::string copies;
  if (place == Place::kLocal) {
    copies = "  barrier(CLK_LOCAL_MEM_FENCE);\n";
    // The host finds variables where a buffer would have them: by number of block and cell.
    copies += fmt::format(
        "  for (uint k = get_local_id(0); k < {0}; k += get_local_size(0)) "
        "atomic_store_explicit(&memory[b * {0} + k], atomic_load_explicit(&m[k], "
        "memory_order_relaxed, memory_scope_work_group), memory_order_relaxed, "
        "memory_scope_work_group);\n",
        static_cast<std::uint32_t>(test.variables) * block);
  }
  return fmt::format(
      "kernel void ask(volatile global atomic_int* memory, volatile global atomic_int* arrived, "
      "global int* out, {7}, uint which, uint stride, uint spacing, uint mix, uint patience) "
      "{{\n{0}{1}  for (uint k "
      "= 0; k < {2}; ++k) {{\n    uint j = l * {2} + k, i = b * {3} + j;\n{4}{5}  }}\n{6}}}\n",
      where, local, kRoundsEach, block, locations, branches, copies, kGateParameters);
}

// ---- Runs ----

struct LitmusRow {
  LitmusShape shape;
  Ordering ordering;
  Place place;
  bool forbidden = false;
  std::vector<Ordering> orderings;  // of the kernel: those that the device has
};

struct Setting {
  std::uint32_t stride = 1, spacing = 1, mix = 0, patience = 0;
};

Setting SettingFor(std::uint64_t number, std::uint64_t hash, std::uint32_t most_patience) {
  // Neighbouring groups run at one time on some devices, and on others those of two chunks.
  constexpr std::uint32_t kStrides[] = {64, 1, 32, 256, 128, 16, 2, 8, 4};
  static_assert(kInstances / (kLocalItems * kRoundsEach) == 256);
  Setting setting;
  setting.stride = kStrides[number % std::size(kStrides)];
  setting.spacing = hash / 16 % 2 == 0 ? 1 : 4;
  setting.mix = static_cast<std::uint32_t>(hash / 64 % 1024);
  setting.patience = hash / 65536 % 4 == 0 ? most_patience / 100 : most_patience;
  return setting;
}

// Where the host finds a variable of an instance.
std::size_t CellOf(const LitmusRow& row, const Litmus& test, const Setting& setting,
                   std::uint32_t instance, int variable) {
  const std::uint32_t block = kLocalItems * kRoundsEach;
  const std::uint32_t factor = setting.mix * 4 + 2 * static_cast<std::uint32_t>(variable) + 1;
  if (row.place != Place::kLocal) {
    const std::uint32_t place = (instance * factor + setting.mix) & (kInstances - 1);
    return (static_cast<std::size_t>(variable) * kInstances + place) * setting.spacing;
  }
  const std::uint32_t place = (instance % block * factor + setting.mix) & (block - 1);
  return static_cast<std::size_t>(instance / block) * static_cast<std::size_t>(test.variables) *
             block +
         static_cast<std::size_t>(variable) * block + place;
}

using Histogram = std::unordered_map<std::uint64_t, std::uint64_t>;
constexpr unsigned kStrange = 15;  // a value that is too large

Expected<void> Launch(CheckRun& run, const LitmusRow& row, const Litmus& test, std::uint64_t number,
                      Histogram* seen) {
  const Setting setting = SettingFor(number, CheckHash(run.options().seed, number, 5),
                                     std::min<std::uint32_t>(run.GatePatience(), 50000));
  const std::size_t processes = test.processes.size();
  const std::size_t cells = static_cast<std::size_t>(test.variables) * kInstances * 4;
  const std::size_t items = kInstances / kRoundsEach;
  const std::size_t outs =
      std::max<std::size_t>(1, static_cast<std::size_t>(test.results) * kInstances);
  KernelRequest request{
      .source = LitmusProgram(test, row.orderings, row.place),
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {OutputOf(cells * 4), OutputOf((items + 1) * 4), OutputOf(outs * 4),
                    OutputOf(kGateBytes), ValueOf(run.GatePatience()),
                    ValueOf(static_cast<std::uint32_t>(row.ordering)), ValueOf(setting.stride),
                    ValueOf(setting.spacing), ValueOf(setting.mix), ValueOf(setting.patience)},
      .global = {items * processes, 1, 1},
      .local = {kLocalItems, 1, 1}};
  if (row.place != Place::kDevice) request.local[0] *= processes;
  auto answers = run.Ask(request, {},
                         {std::vector<std::byte>(cells * 4),
                          std::vector<std::byte>((items + 1) * 4),
                          {},
                          std::vector<std::byte>(kGateBytes)});
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto memory = NumbersOf<std::uint32_t>((*answers)[0]);
  const auto out = NumbersOf<std::uint32_t>((*answers)[2]);
  if (row.place == Place::kDevice) run.NoteGate((*answers)[3]);
  for (std::uint32_t instance = 0; instance < kInstances; ++instance) {
    std::uint64_t key = 0;
    const auto add = [&](std::uint32_t value) { key = key << 4 | std::min(value, kStrange); };
    for (int r = 0; r < test.results; ++r) {
      add(out[static_cast<std::size_t>(instance) * static_cast<std::size_t>(test.results) +
              static_cast<std::size_t>(r)]);
    }
    for (int v = 0; v < test.variables; ++v) add(memory[CellOf(row, test, setting, instance, v)]);
    ++(*seen)[key];
  }
  return {};
}

State StateOf(const Litmus& test, std::uint64_t key) {
  State state(static_cast<std::size_t>(test.results + test.variables));
  for (std::size_t k = state.size(); k-- > 0; key >>= 4) state[k] = static_cast<unsigned>(key & 15);
  return state;
}

// Does some register or variable hold what nobody put there?
bool FromNowhere(const Litmus& test, const State& state) {
  unsigned most = 0;
  for (const auto& process : test.processes) {
    for (const Access& access : process) most = std::max(most, access.value);
  }
  for (const auto& process : test.processes) {
    for (const Access& access : process) most += access.kind == 'A' ? 1 : 0;
  }
  return std::any_of(state.begin(), state.end(), [&](unsigned value) { return value > most; });
}

Expected<void> RunLitmus(CheckRun& run, const LitmusRow& row) {
  const Litmus test = Parsed(row.shape);
  const std::uint64_t launches = run.options().Of(row.place == Place::kDevice ? 4 : 1, 64, 1024);
  Histogram seen;
  for (std::uint64_t launch = 0; launch < launches; ++launch) {
    if (auto launched = Launch(run, row, test, launch, &seen); !launched) return launched;
  }
  std::set<State> interleaved;
  Interleave(test, std::vector<std::size_t>(test.processes.size()),
             State(static_cast<std::size_t>(test.results + test.variables)), &interleaved);
  CheckTally& tally = run.tally();
  const std::map<std::uint64_t, std::uint64_t> sorted(seen.begin(), seen.end());
  for (const auto& [key, times] : sorted) {
    const State state = StateOf(test, key);
    const bool nowhere = FromNowhere(test, state);
    const bool wrong = nowhere || (row.forbidden && Matches(row.shape, test, state));
    tally.answers += times;
    tally.seen.push_back({StateText(test, state), times, !interleaved.contains(state)});
    if (!wrong) continue;
    tally.failures += times;
    if (tally.recorded.size() >= run.options().max_failures) continue;
    tally.recorded.push_back(
        {.input = fmt::format("{} ({})", row.shape.processes, row.shape.question),
         .observed = fmt::format("{}, {} times", StateText(test, state), times),
         .expected = nowhere ? "values that were stored" : "never: the memory model forbids it",
         .options = ""});
  }
  return {};
}

// ---- Rows ----

std::string LitmusLack(const DeviceFacts& facts, Ordering ordering, Place place) {
  if (facts.c_standard < 200) return "CL_DEVICE_OPENCL_C_VERSION: atomic types need OpenCL C 2.0";
  if (facts.c_standard < 300) return "";
  const auto lacks = [&](const char* feature) {
    return facts.HasFeature(feature) ? ""
                                     : fmt::format("CL_DEVICE_OPENCL_C_FEATURES: no {}", feature);
  };
  if (place == Place::kDevice && !facts.HasFeature("__opencl_c_atomic_scope_device")) {
    return lacks("__opencl_c_atomic_scope_device");
  }
  switch (ordering) {
    case Ordering::kReleaseAcquire:
      return lacks("__opencl_c_atomic_order_acq_rel");
    case Ordering::kSeqCst:
    case Ordering::kSeqCstFences:
      return lacks("__opencl_c_atomic_order_seq_cst");
    case Ordering::kRelaxed:
    case Ordering::kFences:
      break;
  }
  return "";
}

// Sequential consistency is of the scope of the whole device (3.3.4): in a work-group the orders
// are asked for what release and acquire give.
bool IsForbidden(const LitmusShape& shape, Ordering ordering, Place place) {
  std::size_t column = static_cast<std::size_t>(ordering);
  if (place != Place::kDevice && ordering == Ordering::kSeqCst) {
    column = static_cast<std::size_t>(Ordering::kReleaseAcquire);
  }
  if (place != Place::kDevice && ordering == Ordering::kSeqCstFences) {
    column = static_cast<std::size_t>(Ordering::kFences);
  }
  return shape.verdicts[column] == 'F';
}

}  // namespace

void AddMemoryChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  for (const LitmusShape& shape : kShapes) {
    for (const auto& [place, place_name] : kPlaces) {
      std::vector<Ordering> orderings;
      for (const auto& [ordering, name] : kOrderings) {
        if (LitmusLack(facts, ordering, place).empty()) orderings.push_back(ordering);
      }
      for (const auto& [ordering, ordering_name] : kOrderings) {
        const LitmusRow row{.shape = shape,
                            .ordering = ordering,
                            .place = place,
                            .forbidden = IsForbidden(shape, ordering, place),
                            .orderings = orderings};
        checks->push_back(
            {.list = CheckList::kMemory,
             .name = fmt::format("memory_{}_{}_{}", shape.name, ordering_name, place_name),
             .clause = kModel,
             .lacks = LitmusLack(facts, ordering, place),
             .run = [row](CheckRun& run) { return RunLitmus(run, row); }});
      }
    }
  }
}

}  // namespace assay::oracle
