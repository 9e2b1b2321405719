#include "interp/launch/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace assay::interp {
namespace {

// So many turns a work-item without a change: nobody will make one.
constexpr std::uint64_t kPatience = 2000;
// So many turns a work-item waits, while nothing changes, before it lets the others go first.
constexpr std::uint32_t kFairWaits = 16;
// So many turns in a row it has in a loop that others may end.
constexpr std::uint64_t kFairTurns = 1000;

}  // namespace

Scheduler::Scheduler(LaunchState* launch, std::span<const std::unique_ptr<Worker>> workers,
                     ChoiceSource* choices, bool explores)
    : launch_(*launch),
      workers_(workers),
      choices_(*choices),
      busy_(workers.size()),
      kept_(workers.size()),
      went_on_(workers.size(), true),
      overtaking_(*launch->program, *launch->module),
      deferred_(*launch->program, overtaking_) {
  if (!explores) return;
  graph_ = std::make_unique<ExecutionGraph>(overtaking_);
  choices_.set_graph(graph_.get());
  for (const FlatBlock& block : launch->program->blocks) {
    if (block.end == End::kSync && !launch->program->syncs[block.sync].ordered) {
      after_meetings_.push_back(block.targets[0]);
    }
  }
}

Scheduler::~Scheduler() { choices_.set_graph(nullptr); }

void Scheduler::Run() {
  // One thread: its time and its processor's modes are the first one's affair.
  workers_[0]->BeginTurns();
  while (!launch_.stop && Fill() && Step()) {
  }
  for (const auto& worker : workers_) worker->TakeCounts();
  workers_[0]->EndTurns();
}

// Gives free workers a group each, and lets all go on until they have to wait; false if nobody
// does.
bool Scheduler::Fill() {
  bool any = false;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = *workers_[i];
    for (;;) {
      if (!busy_[i]) {
        const std::uint64_t group = launch_.next_group;
        if (launch_.stop || group >= launch_.GroupCount()) break;
        ++launch_.next_group;
        if (!worker.BeginGroup(group)) break;
        busy_[i] = true;
        went_on_[i] = true;
        if (graph_ != nullptr) graph_->MeetGroup(static_cast<std::uint32_t>(group));
      }
      const std::uint64_t meetings = CountMeetings(worker);
      const bool waits = worker.RunUntilWaiting();
      if (graph_ != nullptr && CountMeetings(worker) != meetings) {
        graph_->MeetGroup(static_cast<std::uint32_t>(worker.group()));
      }
      if (waits) break;
      if (launch_.stop) break;
      worker.EndGroup();
      busy_[i] = false;
      idle_steps_ = 0;
    }
    any = any || busy_[i];
  }
  return any && !launch_.stop;
}

// Where nobody but the worker of the last turn has gone on, only its work-items are looked at.
void Scheduler::CollectKept() {
  std::vector<std::pair<std::uint64_t, std::size_t>> by_group;
  std::vector<Worker::Waiting> waiting;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (!busy_[i]) continue;
    by_group.emplace_back(workers_[i]->group(), i);
    if (!went_on_[i]) continue;
    went_on_[i] = false;
    waiting.clear();
    workers_[i]->CollectWaiting(&waiting);
    std::ranges::sort(waiting, {}, &Worker::Waiting::item);
    kept_[i].clear();
    for (const Worker::Waiting& one : waiting) {
      kept_[i].push_back({workers_[i].get(), one, workers_[i]->group() << 32 | one.item, {}});
    }
  }
  std::ranges::sort(by_group);
  for (const auto& [group, i] : by_group) {
    tasks_.insert(tasks_.end(), kept_[i].begin(), kept_[i].end());
  }
}

void Scheduler::Collect() {
  tasks_.clear();
  if (graph_ == nullptr && deferred_.IsEmpty() && !workers_[0]->lockstep().is_on()) {
    return CollectKept();
  }
  went_on_.assign(workers_.size(), true);
  std::vector<Worker::Waiting> waiting;
  // In lock step those of a sub-group at one block have a turn together.
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint32_t>, std::size_t> together;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (!busy_[i]) continue;
    waiting.clear();
    workers_[i]->CollectWaiting(&waiting);
    for (const Worker::Waiting& one : waiting) {
      if (one.subgroup) {
        const auto [place, is_new] =
            together.try_emplace({i, *one.subgroup, one.block}, tasks_.size());
        if (!is_new) {
          tasks_[place->second].others.push_back(one);
          continue;
        }
      }
      tasks_.push_back({workers_[i].get(), one, workers_[i]->group() << 32 | one.item, {}});
    }
  }
  std::erase_if(tasks_,
                [this](const Task& task) { return deferred_.HoldUp(task.item, task.waiting); });
  for (std::size_t i = 0; i < deferred_.loads().size(); ++i) {
    const DeferredLoads::Load& load = deferred_.loads()[i];
    tasks_.push_back({load.worker, load.waiting, load.item, {}, i});
  }
  // The loads of a work-item before what it waits for.
  const std::size_t loads = deferred_.loads().size();
  std::sort(tasks_.begin(), tasks_.end(), [&](const Task& a, const Task& b) {
    return std::pair(a.item, a.load.value_or(loads)) < std::pair(b.item, b.load.value_or(loads));
  });
}

void Scheduler::Turn::Take(std::uint64_t operation, bool changed, bool may_wait) {
  idle = false;
  for (std::size_t i = 0; i < kLongest; ++i) {
    repeats[i] = past[i] == operation ? repeats[i] + 1 : 0;
    idle = idle || (repeats[i] > i && !changed && may_wait);
  }
  std::copy_backward(past.begin(), past.end() - 1, past.end());
  past[0] = operation;
  if (!changed && may_wait) return;
  std::fill(past.begin() + 1, past.end(), 0);
  repeats.fill(0);
}

// Whether it has waited through many turns while nothing changed.
bool Scheduler::HasWaited(const Task& task) {
  const Turn& turn = turns_[task.item];
  return !task.load && turn.changes == changes_ && turn.waits >= kFairWaits;
}

// The first option is the work-item that had the last turn, as long as it does something new;
// otherwise the one that has had none for the longest time.  Deferred loads come last, or they
// would have been deferred in vain; but not where others may be waiting for what comes after them.
std::size_t Scheduler::Pick() {
  options_.clear();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (!HasWaited(tasks_[i])) options_.push_back(i);
  }
  const bool all_wait = options_.empty();
  for (std::size_t i = 0; all_wait && i < tasks_.size(); ++i) options_.push_back(i);
  const auto is_load = [this](std::size_t i) { return tasks_[i].load.has_value(); };
  const bool leaves_loads = idle_steps_ == 0 && !std::ranges::all_of(options_, is_load);
  std::size_t first = 0;
  std::uint64_t oldest = ~std::uint64_t{0};
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (leaves_loads && is_load(options_[i])) continue;
    const Turn& turn = turns_[tasks_[options_[i]].item];
    if (!all_wait && tasks_[options_[i]].item == last_item_ && !turn.idle &&
        turns_in_row_ < kFairTurns) {
      first = i;
      break;
    }
    if (turn.time < oldest) {
      oldest = turn.time;
      first = i;
    }
  }
  if (all_wait) return options_[first];
  const std::uint32_t chosen = choices_.Choose(static_cast<std::uint32_t>(options_.size()));
  // The others keep their order.
  if (chosen == 0) return options_[first];
  return options_[chosen <= first ? chosen - 1 : chosen];
}

// Somebody whom others hold up in lock step goes on.
bool Scheduler::LetGo() {
  std::uint64_t patience = kPatience / 2;  // before a livelock is told
  for (const auto& worker : workers_) {
    patience = std::min(patience, worker->lockstep().Patience(kPatience / 2));
  }
  if (idle_steps_ <= patience * (tasks_.size() + 1)) return false;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (busy_[i]) workers_[i]->lockstep().Withdraw();
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (busy_[i] && workers_[i]->lockstep().holds() && workers_[i]->LetGo()) return true;
  }
  return false;
}

TurnResult Scheduler::Take(const Task& task) {
  if (graph_ != nullptr) BeginEvent(task);
  const TurnResult result =
      task.load ? deferred_.Execute(*task.load) : task.worker->TakeTurn(task.waiting);
  if (!task.load) deferred_.Hold(task.item, task.waiting);
  if (graph_ != nullptr) graph_->End(task.worker->MayWait(task.waiting));
  return result;
}

bool Scheduler::Step() {
  if (deferred_.LetGo()) return true;
  Collect();
  if (tasks_.empty()) return true;  // barriers went on
  if (LetGo()) idle_steps_ = 0;
  std::optional<std::size_t> place;
  if (graph_ != nullptr) {
    if (DeferAll()) return true;
    place = PickEvent();
  } else {
    place = Pick();
  }
  if (!place) {
    is_given_up_ = true;
    launch_.Stop(LaunchEnd::kStopped, "another run has the same execution");
    return false;
  }
  const Task task = tasks_[*place];
  if (graph_ == nullptr && !task.load && deferred_.MayDefer(task.item, task.waiting) &&
      choices_.ChooseRarely(2) != 0) {
    deferred_.Defer(task.worker, task.item, task.waiting);
    return true;
  }
  choices_.set_settled(graph_ == nullptr && HasWaited(task));
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].get() == task.worker) went_on_[i] = true;
  }
  TurnResult result = Take(task);
  for (const Worker::Waiting& other : task.others) {
    const TurnResult one = task.worker->TakeTurn(other);
    result.value = result.value * 0x9e3779b97f4a7c15 + one.value;  // tells whether one is another
    result.changed = result.changed || one.changed;
  }
  choices_.set_settled(false);
  const bool may_wait = task.worker->MayWait(task.waiting);
  Turn& turn = turns_[task.item];
  turn.Take((result.value + 1) * 0x9e3779b97f4a7c15 ^ (task.waiting.block + std::uint64_t{1}),
            result.changed, may_wait);
  changes_ += result.changed ? 1 : 0;
  turn.waits = may_wait && !result.changed ? (turn.changes == changes_ ? turn.waits : 0) + 1 : 0;
  turn.changes = changes_;
  turn.time = ++time_;
  turns_in_row_ = task.item == last_item_ && may_wait ? turns_in_row_ + 1 : 0;
  last_item_ = task.item;
  // A change, or the end of a loop, lets others go on; long without one nobody will.
  idle_steps_ = turn.idle ? idle_steps_ + 1 : 0;
  if (idle_steps_ > kPatience * (tasks_.size() + 1)) {
    if (task.worker->ReleaseStuckSubgroups()) {
      idle_steps_ = 0;
      return true;
    }
    task.worker->ReportLivelock(task.waiting);
    return false;
  }
  return true;
}

}  // namespace assay::interp
