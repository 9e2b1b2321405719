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
      went_on_(workers.size(), true),
      turns_(workers.size()),
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
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = *workers_[i];
    for (;;) {
      if (!busy_[i]) {
        const std::uint64_t group = launch_.next_group;
        if (launch_.stop || group >= launch_.GroupCount()) break;
        ++launch_.next_group;
        if (!worker.BeginGroup(group)) break;
        busy_[i] = true;
        keeps_tasks_ = false;
        turns_[i].assign(worker.group_items(), {});
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
      keeps_tasks_ = false;
      idle_steps_ = 0;
    }
  }
  if (keeps_tasks_) return !by_group_.empty() && !launch_.stop;
  by_group_.clear();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (busy_[i]) by_group_.push_back(i);
  }
  std::ranges::sort(by_group_, {}, [this](std::size_t i) { return workers_[i]->group(); });
  return !by_group_.empty() && !launch_.stop;
}

Scheduler::Task Scheduler::MakeTask(std::size_t worker, const Worker::Waiting& waiting) {
  return {workers_[worker].get(), waiting, workers_[worker]->group() << 32 | waiting.item,
          &turns_[worker][waiting.item]};
}

// Where nobody but the worker of the last turn has gone on, only its work-items are looked at.
void Scheduler::CollectKept() {
  if (!keeps_tasks_) {
    tasks_.clear();
    task_counts_.assign(workers_.size(), 0);
    went_on_.assign(workers_.size(), true);
    keeps_tasks_ = true;
  }
  std::size_t first = 0;  // of the worker's tasks
  for (const std::size_t i : by_group_) {
    std::size_t& count = task_counts_[i];
    if (went_on_[i]) {
      went_on_[i] = false;
      waiting_.clear();
      workers_[i]->CollectWaiting(&waiting_);
      const auto end = tasks_.begin() + static_cast<std::ptrdiff_t>(first + count);
      if (waiting_.size() > count) {
        tasks_.insert(end, waiting_.size() - count, {});
      } else {
        tasks_.erase(end - static_cast<std::ptrdiff_t>(count - waiting_.size()), end);
      }
      count = waiting_.size();
      for (std::size_t k = 0; k < count; ++k) {
        Task& task = tasks_[first + k];
        if (task.turn != nullptr && task.waiting.item == waiting_[k].item) {
          task.waiting = waiting_[k];
        } else {
          task = MakeTask(i, waiting_[k]);
        }
      }
    }
    first += count;
  }
}

void Scheduler::Collect() {
  if (graph_ == nullptr && deferred_.IsEmpty() && !workers_[0]->lockstep().is_on()) {
    return CollectKept();
  }
  keeps_tasks_ = false;
  tasks_.clear();
  companions_.clear();
  // In lock step those of a sub-group at one block have a turn together.
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint32_t>, std::uint64_t> together;
  for (const std::size_t i : by_group_) {
    waiting_.clear();
    workers_[i]->CollectWaiting(&waiting_);
    for (const Worker::Waiting& one : waiting_) {
      const Task task = MakeTask(i, one);
      if (one.subgroup) {
        const auto [first, is_new] = together.try_emplace({i, *one.subgroup, one.block}, task.item);
        if (!is_new) {
          companions_.push_back({first->second, one});
          continue;
        }
      }
      if (!deferred_.HoldUp(task.item, one)) tasks_.push_back(task);
    }
  }
  for (std::size_t i = 0; i < deferred_.loads().size(); ++i) {
    const DeferredLoads::Load& load = deferred_.loads()[i];
    const auto worker = std::ranges::find(workers_, load.worker, &std::unique_ptr<Worker>::get);
    tasks_.push_back(MakeTask(static_cast<std::size_t>(worker - workers_.begin()), load.waiting));
    tasks_.back().load = i;
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
bool Scheduler::HasWaited(const Task& task) const {
  return !task.load && task.turn->changes == changes_ && task.turn->waits >= kFairWaits;
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
    const Task& task = tasks_[options_[i]];
    const Turn& turn = *task.turn;
    if (!all_wait && task.item == last_item_ && !turn.idle && turns_in_row_ < kFairTurns) {
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
  for (const Companion& companion : companions_) {
    if (companion.item != task.item || task.load) continue;
    const TurnResult one = task.worker->TakeTurn(companion.waiting);
    result.value = result.value * 0x9e3779b97f4a7c15 + one.value;  // tells whether one is another
    result.changed = result.changed || one.changed;
  }
  choices_.set_settled(false);
  const bool may_wait = task.worker->MayWait(task.waiting);
  Turn& turn = *task.turn;
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
