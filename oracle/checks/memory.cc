// @memory: litmus tests, run many times (litmus.h).
//
// An outcome that no interleaving gives, and that is not forbidden, is weak: it is counted.
//
// Many instances run in one launch.  Instances differ in where their variables lie and in which
// groups have their processes, and processes wait for each other, but not for long: no progress of
// another group is relied on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <unordered_map>

#include "oracle/checks/check.h"
#include "oracle/checks/litmus.h"

namespace assay::oracle {
namespace {

constexpr char kModel[] = "OpenCL API 3.3.4";

// ---- Runs ----

struct LitmusRow {
  LitmusShape shape;
  Ordering ordering;
  Place place;
  bool forbidden = false;
  std::vector<Ordering> orderings;  // of the kernel: those that the device has
};

struct Setting {
  std::uint32_t stride = 1, spacing = 1, mix = 0, patience = 0, warm = 1, stress = 2, delay = 4;
};

// May all processes of an instance run at one time, in groups of their own?
bool RunTogether(const CheckRun& run, const LitmusRow& row, const Litmus& test) {
  return row.place == Place::kDevice &&
         test.processes.size() <= run.facts().Number(DeviceQuery::kMaxComputeUnits);
}

Setting SettingFor(const CheckRun& run, const LitmusRow& row, const Litmus& test,
                   std::uint64_t number) {
  constexpr std::uint32_t kStrides[] = {1, 64, 2, 32, 1, 256, 4, 128, 16, 8};
  static_assert(kLitmusInstances / kLitmusBlock == 256);
  constexpr std::uint32_t kNobodyComes = 100;
  // A processor that other programs use, too, comes back after some time slices.
  constexpr std::uint32_t kLooksEach = 10;  // for one of a gate, which is an atomic addition
  const std::uint64_t hash = CheckHash(run.options().seed, number, 5);
  Setting setting;
  setting.stride = kStrides[number % std::size(kStrides)];
  // Groups that take tickets at one time are fewer than this.
  if (setting.stride * test.processes.size() > run.facts().Number(DeviceQuery::kMaxComputeUnits)) {
    setting.stride = 1;
  }
  setting.spacing = hash / 16 % 2 == 0 ? 1 : 4;
  setting.mix = static_cast<std::uint32_t>(hash / 64 % 1024);
  setting.patience = RunTogether(run, row, test) ? run.GatePatience() : kNobodyComes;
  if (number > 0) {
    setting.warm = hash / 65536 % 2;
    setting.stress = hash / 131072 % 5;
  }
  if (run.facts().compiles_once()) {
    setting.patience *= kLooksEach;
    setting.delay = 128;
  }
  return setting;
}

// Where the host finds a variable of an instance.
std::size_t CellOf(const LitmusRow& row, const Litmus& test, const Setting& setting,
                   std::uint32_t instance, int variable) {
  const std::uint32_t block = kLitmusBlock;
  const std::uint32_t factor = setting.mix * 4 + 2 * static_cast<std::uint32_t>(variable) + 1;
  if (row.place != Place::kLocal) {
    const std::uint32_t place = (instance * factor + setting.mix) & (kLitmusInstances - 1);
    return (static_cast<std::size_t>(variable) * kLitmusInstances + place) * setting.spacing;
  }
  const std::uint32_t place = (instance % block * factor + setting.mix) & (block - 1);
  return static_cast<std::size_t>(instance / block) * static_cast<std::size_t>(test.variables) *
             block +
         static_cast<std::size_t>(variable) * block + place;
}

using Histogram = std::unordered_map<std::uint64_t, std::uint64_t>;
constexpr unsigned kStrange = 15;  // a value that is too large

// How often processes met is added to `met`.
Expected<void> Launch(CheckRun& run, const LitmusRow& row, const Litmus& test, std::uint64_t number,
                      Histogram* seen, std::uint64_t* met) {
  const std::size_t processes = test.processes.size();
  const Setting setting = SettingFor(run, row, test, number);
  const std::size_t cells = static_cast<std::size_t>(test.variables) * kLitmusInstances * 4;
  const std::size_t items = kLitmusInstances / kLitmusRounds;
  const std::size_t arrived = kLitmusCounts + items + kStressCells;
  const std::size_t outs =
      std::max<std::size_t>(1, static_cast<std::size_t>(test.results) * kLitmusInstances);
  KernelRequest request{
      .source = LitmusProgram(test, row.orderings, row.place),
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {OutputOf(cells * 4), OutputOf(arrived * 4), OutputOf(outs * 4),
                    ValueOf(static_cast<std::uint32_t>(row.ordering)), ValueOf(setting.stride),
                    ValueOf(setting.spacing), ValueOf(setting.mix), ValueOf(setting.patience),
                    ValueOf(setting.warm), ValueOf(setting.stress), ValueOf(setting.delay)},
      .global = {items * processes, 1, 1},
      .local = {kLitmusItems, 1, 1}};
  if (row.place != Place::kDevice) request.local[0] *= processes;
  auto answers = run.Ask(
      request, {}, {std::vector<std::byte>(cells * 4), std::vector<std::byte>(arrived * 4), {}});
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto memory = NumbersOf<std::uint32_t>((*answers)[0]);
  const auto out = NumbersOf<std::uint32_t>((*answers)[2]);
  const std::uint64_t meetings = NumbersOf<std::uint32_t>((*answers)[1])[kMeetings];
  if (RunTogether(run, row, test)) run.NoteMet(meetings > 0);
  *met += meetings;
  for (std::uint32_t instance = 0; instance < kLitmusInstances; ++instance) {
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

LitmusState StateOf(const Litmus& test, std::uint64_t key) {
  LitmusState state(static_cast<std::size_t>(test.results + test.variables));
  for (std::size_t k = state.size(); k-- > 0; key >>= 4) state[k] = static_cast<unsigned>(key & 15);
  return state;
}

// Was the outcome of the question seen?
bool Saw(const Histogram& seen, const LitmusRow& row, const Litmus& test) {
  return std::any_of(seen.begin(), seen.end(), [&](const auto& one) {
    return IsAsked(row.shape, test, StateOf(test, one.first));
  });
}

// Launches of a row.  Where processes may run at one time: until they met often enough, or for some
// time.
Expected<void> LaunchAll(CheckRun& run, const LitmusRow& row, const Litmus& test, Histogram* seen) {
  using Clock = std::chrono::steady_clock;
  const bool together = RunTogether(run, row, test);
  const std::uint64_t launches = run.options().Of(row.place == Place::kDevice ? 4 : 1, 64, 1024);
  const auto longest = std::chrono::milliseconds(run.options().Of(400, 6000, 100000));
  const auto begin = Clock::now();
  std::uint64_t met = 0;
  for (std::uint64_t launch = 0;; ++launch) {
    const bool enough = !together || met >= launches * kLitmusInstances / 4;
    const bool late = together && (!run.MayMeet() || Clock::now() - begin > longest);
    if (launch >= launches ? enough || late : enough && late) return {};
    if (auto launched = Launch(run, row, test, launch, seen, &met); !launched) return launched;
    if (row.forbidden && Saw(*seen, row, test)) return {};
  }
}

Expected<void> RunLitmus(CheckRun& run, const LitmusRow& row) {
  const Litmus test = LitmusOf(row.shape);
  Histogram seen;
  if (auto launched = LaunchAll(run, row, test, &seen); !launched) return launched;
  const std::set<LitmusState> interleaved = Interleavings(test);
  CheckTally& tally = run.tally();
  const std::map<std::uint64_t, std::uint64_t> sorted(seen.begin(), seen.end());
  for (const auto& [key, times] : sorted) {
    const LitmusState state = StateOf(test, key);
    const bool nowhere = FromNowhere(test, state);
    const bool wrong = nowhere || (row.forbidden && IsAsked(row.shape, test, state));
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
  for (const LitmusShape& shape : LitmusShapes()) {
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
