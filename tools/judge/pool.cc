#include "tools/judge/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <system_error>

#include "base/run_tool.h"
#include "base/threads.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = std::size_t{4} << 20;
constexpr auto kWatch = std::chrono::milliseconds(200);  // how late a new capture may be noticed

std::string ThisProgram() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

}  // namespace

JudgePool::JudgePool(JudgeLimits limits, int jobs)
    : limits_(std::move(limits)), jobs_(jobs), program_(ThisProgram()) {}

JudgePool::~JudgePool() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
}

Judgement JudgePool::JudgeOne(const Capture& capture, int threads) const {
  if (!capture.missing.empty()) return Judge(capture, limits_);
  Judgement judged{.capture = capture};
  std::vector<std::string> words = {program_,       "judge",
                                    "--one",        capture.path,
                                    "--timeout",    fmt::format("{}", limits_.timeout),
                                    "--max-memory", limits_.max_memory,
                                    "--threads",    std::to_string(threads)};
  for (const std::string& folder : limits_.allow_read) words.push_back("--allow-read=" + folder);
  // The child holds itself to the limits; ten seconds more are for what it takes to say so.
  const base::ToolRequest request{
      .argv = std::move(words),
      .limits = {.seconds = limits_.timeout + 10, .memory_bytes = 0, .stop = &g_interrupted},
      .view = std::nullopt,
      .max_output = kMaxOutput};
  const auto done = base::RunTool(request);
  if (!done) {
    judged.reasons.push_back("it could not be judged: " + done.error().message);
  } else if (!TakeJudgement(done->output, &judged)) {
    judged.reasons.push_back(fmt::format("it could not be judged: assay ended with code {}: {}",
                                         done->exit_status, done->output.substr(0, 500)));
  }
  return judged;
}

JudgePool::Item* JudgePool::Add(const Capture& capture) {
  const auto [item, is_new] = items_.try_emplace(capture.path);
  if (is_new) {
    item->second.capture = capture;
    order_.push_back(&item->second);
  }
  return &item->second;
}

void JudgePool::StartThreads(std::size_t count) {
  try {
    while (threads_.size() < count) threads_.emplace_back([this] { Work(); });
  } catch (const std::system_error&) {  // fewer, then
  }
}

void JudgePool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || next_ < order_.size(); });
    if (ends_ || g_interrupted) return;
    JudgeNext(&lock);
  }
}

void JudgePool::JudgeNext(std::unique_lock<std::mutex>* lock) {
  Item& item = *order_[next_++];
  ++running_;
  const bool was_beside = is_beside_;
  // Few captures have all cores, and beside an application a capture has one.
  const std::size_t others =
      std::min(running_ - 1 + order_.size() - next_, std::max<std::size_t>(threads_.size(), 1) - 1);
  const int threads =
      was_beside ? 1 : std::max(1, base::ThreadCount(0) / static_cast<int>(others + 1));
  lock->unlock();
  const auto start = Clock::now();
  Judgement judged;
  try {
    judged = JudgeOne(item.capture, threads);
  } catch (const std::exception& error) {
    judged = {.capture = item.capture};
    judged.reasons.push_back(fmt::format("it could not be judged: {}", error.what()));
  }
  const std::chrono::duration<double> seconds = Clock::now() - start;
  lock->lock();
  --running_;
  if (was_beside && judged.verdict == Verdict::kUndecided && seconds.count() > limits_.timeout) {
    // The application had the machine: once more when it has ended.
    (is_beside_ ? again_ : order_).push_back(&item);
  } else {
    item.judgement = std::move(judged);
    item.is_done = true;
  }
  changed_.notify_all();
}

void JudgePool::Follow(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  is_beside_ = true;
  StartThreads(jobs_ > 0 ? static_cast<std::size_t>(jobs_) : 1);
  try {
    watcher_ = std::jthread([this, folder] { Watch(folder); });
  } catch (const std::system_error&) {  // then all are judged in the end
  }
}

void JudgePool::Watch(const std::string& folder) {
  std::unique_lock lock(mutex_);
  while (is_beside_ && !ends_) {
    lock.unlock();
    const std::vector<Capture> captures = TakeNew(folder);
    lock.lock();
    for (const Capture& capture : captures) Add(capture);
    if (!captures.empty()) changed_.notify_all();
    changed_.wait_for(lock, kWatch, [this] { return !is_beside_ || ends_; });
  }
}

// Errors are told in the end, where the folder is read once more.
std::vector<Capture> JudgePool::TakeNew(const std::string& folder) {
  std::vector<Capture> captures;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!IsCapture(path) || !seen_.insert(path).second) continue;
    if (auto capture = ReadCapture(path)) captures.push_back(std::move(*capture));
  }
  return captures;
}

std::vector<Judgement> JudgePool::Finish(const std::vector<Capture>& captures,
                                         const std::function<void(const Judgement&)>& told) {
  std::unique_lock lock(mutex_);
  is_beside_ = false;
  order_.insert(order_.end(), again_.begin(), again_.end());
  again_.clear();
  std::vector<Item*> items;
  for (const Capture& capture : captures) items.push_back(Add(capture));
  const auto jobs = static_cast<std::size_t>(base::ThreadCount(jobs_));
  StartThreads(std::min(jobs, std::max(threads_.size(), captures.size())));
  changed_.notify_all();
  std::vector<Judgement> judgements;
  for (Item* item : items) {
    while (!item->is_done && !g_interrupted) {
      if (threads_.empty()) {
        JudgeNext(&lock);
      } else {
        changed_.wait_for(lock, kWatch);
      }
    }
    if (item->is_done) {
      judgements.push_back(item->judgement);
    } else {
      judgements.push_back({.capture = item->capture});
      judgements.back().reasons.emplace_back("it was not judged: interrupted");
    }
    if (!told) continue;
    lock.unlock();
    told(judgements.back());
    lock.lock();
  }
  ends_ = true;
  changed_.notify_all();
  return judgements;
}

}  // namespace assay::tools
