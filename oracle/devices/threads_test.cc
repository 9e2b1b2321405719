#include "oracle/devices/threads.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::oracle {
namespace {

struct FakeDevice : AnswersKernels {
  explicit FakeDevice(bool computes) : on_processors(computes) {}
  Expected<void> AskKernel(const KernelRequest&, ImageInputs, ImageOutputs) override { return {}; }
  bool RunsOnProcessors() const override { return on_processors; }
  bool on_processors;
};

// A thread that waits until it is destroyed, as a driver's worker does between launches.
class Worker {
 public:
  Worker() {
    std::unique_lock lock(mutex_);
    thread_ = std::thread([this] { Wait(); });
    changed_.wait(lock, [this] { return id_ != 0; });
  }
  ~Worker() {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  pid_t id() const { return id_; }

 private:
  void Wait() {
    std::unique_lock lock(mutex_);
    id_ = gettid();
    changed_.notify_all();
    changed_.wait(lock, [this] { return ends_; });
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  pid_t id_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

cpu_set_t MaskOf(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(thread, sizeof set, &set), 0);
  return set;
}
bool IsPinned(pid_t thread) {
  const cpu_set_t set = MaskOf(thread);
  return CPU_COUNT(&set) == 1;
}
bool AreEqual(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b) != 0; }

class DriverThreadsTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = MaskOf(0);
    if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "one processor: there is nothing to spread";
  }
  void TearDown() override { sched_setaffinity(0, sizeof before_, &before_); }

  cpu_set_t before_ = {};
  FakeDevice cpu_{true}, gpu_{false};
};

TEST_F(DriverThreadsTest, NeighboursAreOnDifferentProcessors) {
  DriverThreads threads;
  const Worker first, second;
  threads.SpreadFor(cpu_);
  EXPECT_TRUE(IsPinned(first.id()));
  EXPECT_TRUE(IsPinned(second.id()));
  EXPECT_FALSE(AreEqual(MaskOf(first.id()), MaskOf(second.id())));
  EXPECT_TRUE(AreEqual(MaskOf(0), before_)) << "the main thread is free";
}

TEST_F(DriverThreadsTest, EveryProcessorHasThreads) {
  DriverThreads threads;
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(CPU_COUNT(&before_)));
  for (auto& worker : workers) worker = std::make_unique<Worker>();
  threads.SpreadFor(cpu_);
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const auto& worker : workers) {
    const cpu_set_t one = MaskOf(worker->id());
    CPU_OR(&all, &all, &one);
  }
  EXPECT_TRUE(AreEqual(all, before_));
}

TEST_F(DriverThreadsTest, ThreadsThatDoNotComputeAreLeftAlone) {
  DriverThreads threads;
  const Worker worker;
  threads.SpreadFor(gpu_);
  EXPECT_TRUE(AreEqual(MaskOf(worker.id()), before_));
}

// The driver may move its threads between launches; only new threads are a reason to look again.
TEST_F(DriverThreadsTest, ArePlacedAgainOnlyWhereSomeAreNew) {
  DriverThreads threads;
  const Worker first;
  threads.SpreadFor(cpu_);
  ASSERT_TRUE(IsPinned(first.id()));
  ASSERT_EQ(sched_setaffinity(first.id(), sizeof before_, &before_), 0);
  threads.SpreadFor(cpu_);
  EXPECT_FALSE(IsPinned(first.id()));
  const Worker second;
  threads.SpreadFor(cpu_);
  EXPECT_TRUE(IsPinned(first.id()));
  EXPECT_TRUE(IsPinned(second.id()));
}

TEST_F(DriverThreadsTest, OneAllowedProcessorIsLeftAsItIs) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++k) {
    if (CPU_ISSET(k, &before_)) CPU_SET(k, &one);
  }
  const Worker worker;
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  DriverThreads threads;
  threads.SpreadFor(cpu_);
  EXPECT_TRUE(AreEqual(MaskOf(worker.id()), before_));
}

}  // namespace
}  // namespace assay::oracle
