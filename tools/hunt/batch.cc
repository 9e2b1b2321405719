#include "tools/hunt/batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"

namespace assay::tools {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

constexpr const char* kNoOptimization = "-cl-opt-disable";
constexpr auto kReduction = std::chrono::seconds(20);  // of one program
constexpr auto kLast = std::chrono::seconds(30);       // behind the deadline nothing is run
constexpr int kCausesOfProgram = 3;                    // that are looked for one after the other

class ExecutorTrier : public HuntTrier {
 public:
  explicit ExecutorTrier(HuntExecutor* executor) : executor_(*executor) {}
  std::vector<HuntResult> Try(const std::vector<HuntProgram>& candidates,
                              const HuntSetting& setting) override {
    const HuntSetting settings[] = {setting};
    auto results = executor_.Run(candidates, settings);
    std::vector<HuntResult> flat(candidates.size());
    for (std::size_t i = 0; i < flat.size(); ++i) {
      if (results) {
        flat[i] = std::move((*results)[i][0]);
      } else {
        flat[i].verdict = HuntVerdict::kNotJudged;
      }
    }
    return flat;
  }

 private:
  HuntExecutor& executor_;
};

class Worker {
 public:
  Worker(const HuntTask& task, HuntExecutor* executor, const std::vector<std::string>& known,
         Clock::time_point deadline, HuntBatch* batch)
      : task_(task),
        executor_(*executor),
        trier_(executor),
        known_(known),
        deadline_(deadline),
        batch_(*batch) {}

  // Takes known groups out of programs that are wrong, and runs what is left of all at once: a
  // driver's start costs more than a small program.
  void TakeOutKnown(std::vector<HuntProgram>* programs, std::vector<HuntResult>* results,
                    const HuntSetting& setting);
  Expected<void> Look(HuntProgram program, HuntSetting setting, HuntResult result,
                      std::uint64_t number);

 private:
  // The known groups whose causes the program has.
  std::vector<std::string> KnownIn(const HuntProgram& program) const;
  Expected<bool> Tell(HuntReduction reduction, std::uint64_t number, std::string* group);
  std::string Passes(const HuntReduction& reduction);
  void LeaveOutForms(HuntReduction* reduction);

  const HuntTask& task_;
  HuntExecutor& executor_;
  ExecutorTrier trier_;
  std::vector<std::string> known_;
  const Clock::time_point deadline_;
  HuntBatch& batch_;
};

std::vector<std::string> Worker::KnownIn(const HuntProgram& program) const {
  const std::vector<std::string> has = CausesOf(program);
  std::vector<std::string> groups;
  for (const std::string& group : known_) {
    const bool is_in = std::ranges::all_of(CausesIn(group), [&](const std::string& cause) {
      return std::ranges::binary_search(has, cause);
    });
    if (is_in) groups.push_back(group);
  }
  return groups;
}

void Worker::TakeOutKnown(std::vector<HuntProgram>* programs, std::vector<HuntResult>* results,
                          const HuntSetting& setting) {
  std::vector<std::size_t> places;
  std::vector<HuntProgram> less;
  for (std::size_t i = 0; i < programs->size(); ++i) {
    if (!(*results)[i].IsBug()) continue;
    const std::vector<std::string> groups = KnownIn((*programs)[i]);
    if (groups.empty()) continue;
    ++batch_.again[groups[0]];
    std::set<std::string> causes;
    for (const std::string& group : groups) causes.merge(CausesIn(group));
    if (causes.empty()) {
      (*results)[i].verdict = HuntVerdict::kAgrees;
      continue;
    }
    places.push_back(i);
    less.push_back(Without((*programs)[i], causes));
  }
  if (less.empty()) return;
  std::vector<HuntResult> again = trier_.Try(less, setting);
  for (std::size_t k = 0; k < less.size(); ++k) {
    (*programs)[places[k]] = std::move(less[k]);
    (*results)[places[k]] = std::move(again[k]);
  }
}

std::string Worker::Passes(const HuntReduction& reduction) {
  const auto is_wrong = [&](const HuntSetting& setting) {
    return trier_.Try({reduction.program}, setting)[0].verdict == reduction.result.verdict;
  };
  HuntSetting other = reduction.setting;
  other.options = reduction.setting.options.empty() ? kNoOptimization : "";
  std::string text = is_wrong(other)                     ? "with and without -cl-opt-disable"
                     : reduction.setting.options.empty() ? "only when optimized"
                                                         : "only with -cl-opt-disable";
  if (!reduction.setting.spirv) return text;
  other = reduction.setting;
  other.spirv.reset();
  return text + (is_wrong(other) ? ", as SPIR-V and as OpenCL C" : ", only as SPIR-V");
}

void Worker::LeaveOutForms(HuntReduction* reduction) {
  if (!reduction->setting.spirv) return;
  for (std::size_t i = 0; i < HuntForms().size(); ++i) {
    HuntSetting less = reduction->setting;
    less.spirv->forms &= ~(HuntFormSet{1} << i);
    if (less == reduction->setting || Clock::now() > deadline_) continue;
    auto results = trier_.Try({reduction->program}, less);
    if (results[0].verdict != reduction->result.verdict) continue;
    reduction->setting = less;
    reduction->result = std::move(results[0]);
  }
}

// False where nothing is told, because there is doubt.
Expected<bool> Worker::Tell(HuntReduction reduction, std::uint64_t number, std::string* group) {
  LeaveOutForms(&reduction);
  auto right = executor_.Right(reduction.program, reduction.setting);
  if (!right) return tl::unexpected(right.error());
  if (!right->doubt.empty()) {
    batch_.doubts.push_back(fmt::format("program {}: {}", number, right->doubt));
    return false;
  }
  reduction.right = std::move(right->buffers);
  // Again: what a loaded machine does once is no fault.
  if (reduction.result.verdict == HuntVerdict::kEnded) executor_.BePatient();
  const auto again = trier_.Try({reduction.program}, reduction.setting);
  if (again[0].verdict != reduction.result.verdict) {
    batch_.doubts.push_back(fmt::format("program {}: {} once, then {}", number,
                                        NameOf(reduction.result.verdict),
                                        NameOf(again[0].verdict)));
    return false;
  }
  std::vector<std::string> causes = CausesOf(reduction.program);
  // Forms that have to stay are the cause, whatever operations there are.
  const HuntFormSet forms = reduction.setting.spirv ? reduction.setting.spirv->forms : 0;
  if (forms != 0) causes = FormCauses(forms);
  HuntFinding finding;
  finding.cause = GroupName(causes, reduction.result.verdict);
  finding.verdict = NameOf(reduction.result.verdict);
  finding.types = TypesIn(reduction.program);
  finding.clauses = ClausesOf(causes);
  finding.passes = Passes(reduction);
  finding.options = reduction.setting.options;
  if (reduction.setting.spirv)
    finding.module = {reduction.setting.spirv->options, NamesOf(reduction.setting.spirv->forms)};
  finding.items = reduction.program.items;
  finding.local = LocalOf(reduction.program, reduction.setting);
  finding.program = number;
  finding.text = TextOf(reduction.program);
  finding.lines = static_cast<int>(std::ranges::count(finding.text, '\n'));
  if (again[0].difference) {
    const HuntDifference& one = *again[0].difference;
    finding.what =
        fmt::format("{}[{}] is {}, right is {}", one.buffer, one.index, one.observed, one.right);
  } else {
    finding.what = again[0].message;
  }
  finding.second = right->second;
  finding.folder =
      fmt::format("{}/{}{}-{}", task_.folder, kNewFindings, batch_.number, batch_.findings.size());
  *group = finding.cause;
  if (auto written = WriteFinding(finding.folder, finding, reduction, task_.device.standard);
      !written) {
    return tl::unexpected(written.error());
  }
  batch_.findings.push_back(std::move(finding));
  return true;
}

Expected<void> Worker::Look(HuntProgram program, HuntSetting setting, HuntResult result,
                            std::uint64_t number) {
  for (int k = 0; k < kCausesOfProgram; ++k) {
    // Late, one finding has to be enough: a batch that does not end has none.
    if (Clock::now() > deadline_ && !known_.empty()) {
      batch_.doubts.push_back(fmt::format("program {}: no time was left for it", number));
      return {};
    }
    if (const std::vector<std::string> groups = KnownIn(program); !groups.empty()) {
      std::set<std::string> causes;
      for (const std::string& group : groups) causes.merge(CausesIn(group));
      ++batch_.again[groups[0]];
      if (causes.empty()) return {};
      HuntProgram less = Without(program, causes);
      const auto results = trier_.Try({less}, setting);
      if (!results[0].IsBug()) return {};
      program = std::move(less);
      result = results[0];
    }
    if (auto of = LeaveOutKnownForms(known_, program, &trier_, &setting, &result); !of.empty()) {
      ++batch_.again[of];
      return {};
    }
    const auto end = std::min(deadline_, Clock::now() + kReduction);
    const std::uint64_t before = batch_.findings.size();
    std::string group;
    executor_.Hurry(result.verdict == HuntVerdict::kEnded);
    HuntReduction small = ReduceProgram(program, setting, result, &trier_, end);
    executor_.Hurry(false);
    // What is not small has many causes, of which all but one are innocent.
    const bool is_unfinished = Clock::now() > end;
    if (is_unfinished && !known_.empty()) {
      batch_.doubts.push_back(fmt::format("program {}: not made small in time", number));
      return {};
    }
    const auto told = Tell(std::move(small), number, &group);
    if (!told) return tl::unexpected(told.error());
    if (!*told) return {};
    if (std::ranges::find(known_, group) != known_.end()) {
      // The same group by another way: it is no new one.
      batch_.findings.resize(before);
      ++batch_.again[group];
      return {};
    }
    known_.push_back(group);
  }
  return {};
}

}  // namespace

std::string LeaveOutKnownForms(const std::vector<std::string>& known, const HuntProgram& program,
                               HuntTrier* trier, HuntSetting* setting, HuntResult* result) {
  for (const std::string& group : known) {
    const HuntFormSet forms = FormsOf(CausesIn(group));
    if (!setting->spirv || forms == 0 || (setting->spirv->forms & forms) != forms) continue;
    setting->spirv->forms &= ~forms;
    *result = trier->Try({program}, *setting)[0];
    if (!result->IsBug()) return group;
  }
  return "";
}

HuntSetting SettingOf(const HuntTask& task, std::uint64_t number) {
  // Sizes that divide 64, 60, 61 and 48, one of which is prime.
  constexpr std::uint32_t kLocals[] = {16, 12, 61, 24, 64, 5, 32};
  HuntSetting setting{number % 2 == 1 ? kNoOptimization : "", kLocals[number % std::size(kLocals)],
                      std::nullopt};
  if (task.is_spirv) {
    HuntRandom random{task.seed * 1000033 + number};
    const HuntFormSet all = (HuntFormSet{1} << HuntForms().size()) - 1;
    setting.spirv = {number / 2 % 2 == 0 ? "-O2" : kNoOptimization,
                     static_cast<HuntFormSet>(random.Next()) & all};
  }
  return setting;
}

std::vector<HuntProgram> ProgramsOf(const HuntTask& task, std::uint64_t number) {
  constexpr std::uint32_t kItems[] = {64, 60, 61, 48, 64, 60, 64};  // as SettingOf's groups
  std::vector<HuntProgram> programs;
  for (std::uint64_t k = 0; k < kProgramsOfBatch; ++k) {
    programs.push_back(GenerateProgram(task.device, task.plan, task.seed,
                                       number * kProgramsOfBatch + k,
                                       kItems[number % std::size(kItems)]));
    programs.back().data_seed = task.seed * 1000003 + number;
  }
  return programs;
}

Expected<HuntBatch> WorkBatch(const HuntTask& task, std::uint64_t number,
                              const std::vector<std::string>& known,
                              std::chrono::steady_clock::time_point deadline) {
  const auto start = Clock::now();
  auto executor = HuntExecutor::Make(task.platform, task.device, {.timeout = task.timeout});
  if (!executor) return tl::unexpected(executor.error());
  HuntBatch batch;
  batch.number = number;
  std::vector<HuntProgram> programs = ProgramsOf(task, number);
  HuntSetting setting = SettingOf(task, number);
  // A form that a driver does not take would hide everything else.
  for (const std::string& group : known) {
    if (setting.spirv) setting.spirv->forms &= ~FormsOf(CausesIn(group));
  }
  ExecutorTrier trier(&*executor);
  executor->EndAt(deadline + kLast);
  std::vector<HuntResult> results = trier.Try(programs, setting);
  const bool is_late = executor->IsLate();
  Worker worker(task, &*executor, known, deadline, &batch);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::uint64_t program = number * kProgramsOfBatch + i;
    if (results[i].verdict == HuntVerdict::kNotJudged) {
      ++batch.not_judged;
      batch.doubts.push_back(
          fmt::format("program {} is not judged: {}", program, results[i].message));
      continue;
    }
    ++batch.programs;
  }
  worker.TakeOutKnown(&programs, &results, setting);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::uint64_t program = number * kProgramsOfBatch + i;
    if (!results[i].IsBug()) continue;
    auto looked = worker.Look(programs[i], setting, results[i], program);
    if (!looked) return tl::unexpected(looked.error());
  }
  // What was found is in its files.
  if (is_late) return Fail(ErrorKind::kDevice, "no time was left for all of its programs");
  batch.launches = executor->launches();
  batch.reference_seconds = executor->reference_seconds();
  batch.driver_seconds = executor->driver_seconds();
  batch.seconds = base::SecondsSince(start);
  return batch;
}

ordered_json HuntBatchJson(const HuntBatch& batch) {
  ordered_json json = {{"batch", batch.number},
                       {"programs", batch.programs},
                       {"not_judged", batch.not_judged},
                       {"launches", batch.launches},
                       {"seconds", batch.seconds},
                       {"reference_seconds", batch.reference_seconds},
                       {"driver_seconds", batch.driver_seconds},
                       {"again", batch.again},
                       {"doubts", batch.doubts},
                       {"findings", ordered_json::array()}};
  for (const HuntFinding& one : batch.findings) json["findings"].push_back(HuntFindingJson(one));
  return json;
}

std::optional<HuntBatch> HuntBatchFromJson(const ordered_json& json) {
  HuntBatch batch;
  try {
    json.at("batch").get_to(batch.number);
    json.at("programs").get_to(batch.programs);
    json.at("not_judged").get_to(batch.not_judged);
    json.at("launches").get_to(batch.launches);
    json.at("seconds").get_to(batch.seconds);
    json.at("reference_seconds").get_to(batch.reference_seconds);
    json.at("driver_seconds").get_to(batch.driver_seconds);
    json.at("again").get_to(batch.again);
    json.at("doubts").get_to(batch.doubts);
    for (const ordered_json& one : json.at("findings")) {
      auto finding = HuntFindingFromJson(one);
      if (!finding) return std::nullopt;
      batch.findings.push_back(std::move(*finding));
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return batch;
}

}  // namespace assay::tools
