// Judges captures in child processes, several at a time, also while the application still runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tools/judge/judge.h"

namespace assay::tools {

// A crash or a limit costs one judgement: each capture has a child process of its own, which is
// this program.  The threads of the pool only start children and wait for them.
class JudgePool {
 public:
  // `jobs`: at most so many children at a time; 0: one beside an application, and else one per
  // core.
  JudgePool(JudgeLimits limits, int jobs);
  ~JudgePool();  // waits for the children that run
  JudgePool(const JudgePool&) = delete;
  JudgePool& operator=(const JudgePool&) = delete;

  // Judges the captures of the folder as they appear in it.  To be called once, where signals are
  // as the pool's threads are to have them.
  void Follow(const std::string& folder);

  // Judges what is left of the captures and returns all judgements, in the order of the captures.
  // `told`, which may be null, gets each in that order, as soon as it is there.  After Ctrl-C the
  // rest is undecided.
  std::vector<Judgement> Finish(const std::vector<Capture>& captures,
                                const std::function<void(const Judgement&)>& told);

 private:
  struct Item {
    Capture capture;
    bool is_done = false;
    Judgement judgement;
  };

  void Watch(const std::string& folder);
  std::vector<Capture> TakeNew(const std::string& folder);
  void Work();  // of a thread: one item after the other
  // These are called under `mutex_`; the first gives it up while it judges.
  void JudgeNext(std::unique_lock<std::mutex>* lock);
  Item* Add(const Capture& capture);
  void StartThreads(std::size_t count);
  Judgement JudgeOne(const Capture& capture, int threads) const;

  const JudgeLimits limits_;
  const int jobs_;
  const std::string program_;  // this one
  std::mutex mutex_;           // of what follows
  std::condition_variable changed_;
  bool is_beside_ = false;  // the application still runs
  bool ends_ = false;
  std::map<std::string, Item> items_;  // by the paths of captures
  std::vector<Item*> order_;           // in which they are judged
  std::size_t next_ = 0;               // in order_
  std::size_t running_ = 0;
  std::vector<Item*> again_;    // once the application has ended
  std::set<std::string> seen_;  // by the thread that follows the folder
  std::jthread watcher_;
  std::vector<std::jthread> threads_;
};

}  // namespace assay::tools
