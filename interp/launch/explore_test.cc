// Complete exploration: as many executions as an enumeration of all graphs by the axioms finds,
// each once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

enum class Kind : std::uint8_t { kLoad, kStore, kAdd };
// Ordered: an acquire load, a release store.  Programs have no other accesses beside sequentially
// consistent ones.
enum class Order : std::uint8_t { kRelaxed, kOrdered, kSequential };
struct Operation {
  Kind kind = Kind::kLoad;
  int object = 0;
  Order order = Order::kRelaxed;
  bool depends = false;  // of a store: its value is computed from the work-item's last load
};
using Program = std::vector<std::vector<Operation>>;  // one list for each work-item

Operation R(int object, Order order = Order::kRelaxed) { return {Kind::kLoad, object, order}; }
Operation W(int object, Order order = Order::kRelaxed) { return {Kind::kStore, object, order}; }
Operation Dependent(int object) { return {Kind::kStore, object, Order::kRelaxed, true}; }
Operation Add(int object) { return {Kind::kAdd, object}; }

// --- what the axioms allow ----------------------------------------------------------------------

// Every graph of a program: for each read the store that it reads from, for each object an order of
// its stores.
class Axioms {
 public:
  explicit Axioms(const Program& program) {
    for (std::size_t item = 0; item < program.size(); ++item) {
      for (const Operation& operation : program[item]) events_.push_back({item, operation});
    }
    count_ = events_.size();
    from_.assign(count_, kInitial);
    position_.assign(count_, 0);
  }
  std::size_t Count() {
    ChooseFrom(0);
    return graphs_;
  }

 private:
  static constexpr std::size_t kInitial = ~std::size_t{0};
  struct Event {
    std::size_t item;
    Operation operation;
    bool Reads() const { return operation.kind != Kind::kStore; }
    bool Writes() const { return operation.kind != Kind::kLoad; }
  };
  using Relation = std::vector<std::vector<bool>>;

  void ChooseFrom(std::size_t i) {
    if (i == count_) return ChooseOrder(0);
    if (!events_[i].Reads()) return ChooseFrom(i + 1);
    for (std::size_t from = 0; from <= count_; ++from) {
      if (from < count_ && (from == i || !events_[from].Writes() || !SameObject(from, i))) continue;
      from_[i] = from == count_ ? kInitial : from;
      ChooseFrom(i + 1);
    }
  }
  void ChooseOrder(int object) {
    std::vector<std::size_t> stores;
    for (std::size_t i = 0; i < count_; ++i) {
      if (events_[i].Writes() && events_[i].operation.object == object) stores.push_back(i);
    }
    if (object == 4) {
      if (IsConsistent()) ++graphs_;
      return;
    }
    do {
      for (std::size_t place = 0; place < stores.size(); ++place) {
        position_[stores[place]] = static_cast<int>(place) + 1;
      }
      ChooseOrder(object + 1);
    } while (std::next_permutation(stores.begin(), stores.end()));
  }

  bool SameObject(std::size_t a, std::size_t b) const {
    return events_[a].operation.object == events_[b].operation.object;
  }
  bool IsBefore(std::size_t a, std::size_t b) const {  // in program order
    return events_[a].item == events_[b].item && a < b;
  }
  int PositionOf(std::size_t store) const { return store == kInitial ? 0 : position_[store]; }

  static void Close(Relation* relation) {
    const std::size_t n = relation->size();
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if ((*relation)[i][k] && (*relation)[k][j]) (*relation)[i][j] = true;
        }
      }
    }
  }
  static bool IsAcyclic(Relation relation) {
    Close(&relation);
    for (std::size_t i = 0; i < relation.size(); ++i) {
      if (relation[i][i]) return false;
    }
    return true;
  }

  // A relaxed load and a later relaxed operation on another object that does not depend on it.
  bool MayOvertake(std::size_t load, std::size_t later) const {
    for (std::size_t i = load + 1; i <= later; ++i) {
      const Operation& operation = events_[i].operation;
      if (operation.order != Order::kRelaxed || SameObject(load, i)) {
        // What comes after it is after the load, too, unless it is a load that may be overtaken.
        if (i == later || !MayOvertake(i, later)) return false;
      }
      if (operation.depends && LastLoad(i) == load && (i == later || !MayOvertake(i, later))) {
        return false;
      }
    }
    return events_[load].operation.kind == Kind::kLoad &&
           events_[load].operation.order == Order::kRelaxed;
  }
  std::size_t LastLoad(std::size_t store) const {
    while (store-- > 0) {
      if (events_[store].operation.kind == Kind::kLoad) return store;
    }
    return kInitial;
  }

  bool IsConsistent() const {
    Relation causes(count_, std::vector<bool>(count_));
    Relation happens = causes, extended = causes;
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < count_; ++j) {
        if (IsBefore(i, j)) {
          happens[i][j] = true;
          causes[i][j] = !MayOvertake(i, j);
        }
        if (i == j || !SameObject(i, j)) continue;
        const bool reads_from = events_[j].Reads() && from_[j] == i;
        if (reads_from) causes[i][j] = true;
        if (reads_from) Synchronize(i, j, &happens);
        const bool stores = events_[i].Writes() && events_[j].Writes();
        const bool reads_before =
            events_[i].Reads() && events_[j].Writes() && PositionOf(from_[i]) < position_[j];
        extended[i][j] = reads_from || (stores && position_[i] < position_[j]) || reads_before;
      }
      // Nothing comes between what a read-modify-write reads and what it writes.
      if (events_[i].operation.kind == Kind::kAdd && PositionOf(from_[i]) + 1 != position_[i]) {
        return false;
      }
    }
    if (!IsAcyclic(causes)) return false;
    Relation sequential = extended;
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < count_; ++j) {
        sequential[i][j] =
            (extended[i][j] || IsBefore(i, j)) && events_[i].operation.order == Order::kSequential;
      }
    }
    if (!IsAcyclic(sequential)) return false;
    Close(&happens);
    Close(&extended);
    for (std::size_t i = 0; i < count_; ++i) {
      if (extended[i][i] || happens[i][i]) return false;
      for (std::size_t j = 0; j < count_; ++j) {
        if (happens[i][j] && extended[j][i]) return false;  // coherence
      }
    }
    return true;
  }
  // An acquire synchronizes with the releases whose release sequence it reads: those before the
  // read-modify-writes that lead to the store.
  void Synchronize(std::size_t store, std::size_t load, Relation* happens) const {
    if (events_[load].operation.order == Order::kRelaxed) return;
    for (; store != kInitial; store = from_[store]) {
      if (events_[store].operation.order != Order::kRelaxed) (*happens)[store][load] = true;
      if (events_[store].operation.kind != Kind::kAdd) return;
    }
  }

  std::vector<Event> events_;
  std::size_t count_ = 0;
  std::vector<std::size_t> from_;
  std::vector<int> position_;  // of stores, in modification order
  std::size_t graphs_ = 0;
};

// --- what the interpreter explores
// ----------------------------------------------------------------

std::string SourceOf(const Program& program) {
  std::string source = "kernel void k(global int* out, global atomic_int* x) {\n";
  int result = 0;
  int value = 1;
  for (std::size_t item = 0; item < program.size(); ++item) {
    source += "  if (get_global_id(0) == " + std::to_string(item) + ") {\n";
    std::string last = "0", after;
    for (const Operation& operation : program[item]) {
      const bool is_load = operation.kind == Kind::kLoad;
      const std::string order = operation.order == Order::kRelaxed      ? "relaxed"
                                : operation.order == Order::kSequential ? "seq_cst"
                                : is_load                               ? "acquire"
                                                                        : "release";
      const std::string place = "&x[" + std::to_string(operation.object) + "], ";
      const std::string rest = "memory_order_" + order + ", memory_scope_device)";
      if (operation.kind == Kind::kStore) {
        source += "    atomic_store_explicit(" + place +
                  (operation.depends ? last + " * 100 + " : "") + std::to_string(value++) + ", " +
                  rest + ";\n";
        continue;
      }
      last = "r" + std::to_string(result);
      source += "    int " + last + " = " +
                (is_load ? "atomic_load_explicit(" + place + rest
                         : "atomic_fetch_add_explicit(" + place + "1000, " + rest) +
                ";\n";
      after += "    out[" + std::to_string(result++) + "] = " + last + ";\n";
    }
    source += after + "  }\n";
  }
  return source + "}\n";
}

struct Explored {
  std::size_t executions = 0;
  std::size_t runs = 0;
  std::size_t repeated = 0;
  std::set<std::vector<int>> outcomes;
  std::vector<std::string> rules;
};

// Depth first, as assay run --explore all does it.
Explored Explore(const std::string& source, std::uint64_t items, std::uint64_t local) {
  Explored explored;
  std::set<std::vector<std::uint64_t>> met;
  std::vector<std::uint32_t> prefix = {0};
  while (explored.runs < 200000) {
    auto session = TestSession::FromC(source, {.detectors = DetectorSet::All()}, "-cl-std=CL3.0");
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return explored;
    const BufferArgument out = session->Buffer<int>(std::vector<int>(8, 0));
    const BufferArgument shared = session->Buffer<int>(std::vector<int>(8, 0));
    LaunchRequest request{.kernel = "k",
                          .arguments = {out, shared},
                          .options = {.choices = prefix, .record_choices = true},
                          .explores = true};
    request.range.global = {items, 1, 1};
    request.range.local = {{local, 1, 1}};
    const auto result = session->Launch(request);
    EXPECT_TRUE(result && result->execution);
    if (!result || !result->execution) return explored;
    ++explored.runs;
    if (!result->execution->is_given_up) {
      if (met.insert(result->execution->signature).second) {
        ++explored.executions;
      } else {
        ++explored.repeated;
      }
      explored.outcomes.insert(session->Read<int>(out));
      for (const Finding& finding : result->findings) {
        explored.rules.emplace_back(NameOf(finding.rule));
      }
    }
    prefix.clear();
    for (const Choice& choice : result->choices) prefix.push_back(choice.chosen);
    while (!prefix.empty() && prefix.back() + 1 >= result->choices[prefix.size() - 1].options) {
      prefix.pop_back();
    }
    if (prefix.empty()) break;
    ++prefix.back();
  }
  return explored;
}

constexpr Order kOrdered = Order::kOrdered;

Program Sequential(Program program) {
  for (std::vector<Operation>& item : program) {
    for (Operation& operation : item) operation.order = Order::kSequential;
  }
  return program;
}

void Compare(const std::string& name, const Program& program, bool meets_some_again) {
  const std::size_t due = Axioms(program).Count();
  const std::uint64_t items = program.size();
  for (const std::uint64_t local : {items, std::uint64_t{1}}) {
    const Explored explored = Explore(SourceOf(program), items, local);
    EXPECT_EQ(explored.executions, due) << name << "\n" << SourceOf(program);
    EXPECT_LE(explored.repeated, meets_some_again ? explored.executions : 0u) << name;
    EXPECT_THAT(explored.rules, testing::IsEmpty()) << name;
  }
}

// Sequential consistency: those of interleavings.  Some may be met again, in another order S.
TEST(ExploreAll, MeetsEverySequentiallyConsistentGraph) {
  Compare("store buffering", Sequential({{W(0), R(1)}, {W(1), R(0)}}), true);
  Compare("independent reads", Sequential({{W(0)}, {W(1)}, {R(0), R(1)}, {R(1), R(0)}}), true);
  Compare("2+2W", Sequential({{W(0), W(1)}, {W(1), W(0)}}), true);
  Compare("R", Sequential({{W(0), W(1)}, {W(1), R(0)}}), true);
  Compare("load buffering", Sequential({{R(0), W(1)}, {R(1), W(0)}}), true);
}

TEST(ExploreAll, MeetsEveryGraphOnce) {
  const std::vector<std::pair<const char*, Program>> programs = {
      {"one store, two loads", {{W(0)}, {R(0), R(0)}}},
      {"store buffering", {{W(0), R(1)}, {W(1), R(0)}}},
      {"message passing", {{W(0), W(1)}, {R(1), R(0)}}},
      {"ordered message passing", {{W(0), W(1, kOrdered)}, {R(1, kOrdered), R(0)}}},
      {"load buffering", {{R(0), W(1)}, {R(1), W(0)}}},
      {"with a dependency on one side", {{R(0), Dependent(1)}, {R(1), W(0)}}},
      {"with two", {{R(0), Dependent(1)}, {R(1), Dependent(0)}}},
      {"with an acquire", {{R(0, kOrdered), W(1)}, {R(1), W(0)}}},
      {"with a release", {{R(0), W(1, kOrdered)}, {R(1), W(0)}}},
      {"of three", {{R(0), W(1)}, {R(1), W(2)}, {R(2), W(0)}}},
      {"over two stores", {{R(0), W(1), W(2)}, {R(2), R(1), W(0)}}},
      {"twice", {{R(0), W(1), R(2), W(3)}, {R(1), W(0), R(3), W(2)}}},
      {"over a load", {{R(0), R(1), W(2)}, {R(2), W(0)}, {W(1)}}},
      {"of one object", {{R(0), W(0)}, {R(0), W(0)}}},
      {"independent reads", {{W(0)}, {W(1)}, {R(0), R(1)}, {R(1), R(0)}}},
      {"write to read causality", {{W(0)}, {R(0), W(1)}, {R(1), R(0)}}},
      {"ordered", {{W(0)}, {R(0), W(1, kOrdered)}, {R(1, kOrdered), R(0)}}},
      {"a release sequence", {{W(1), W(0, kOrdered)}, {Add(0)}, {R(0, kOrdered), R(1)}}},
      {"coherence", {{W(0)}, {W(0)}, {R(0), R(0)}, {R(0), R(0)}}},
      {"three writers", {{W(0)}, {W(0)}, {W(0)}, {R(0)}}},
      {"2+2W", {{W(0), W(1)}, {W(1), W(0)}}},
      {"S", {{W(0), W(1)}, {R(1), W(0)}}},
      {"R", {{W(0), W(1)}, {W(1), R(0)}}},
      {"counters", {{Add(0)}, {Add(0)}, {Add(0)}}},
      {"counters and a reader", {{Add(0), Add(1)}, {Add(1), Add(0)}, {R(0), R(1)}}},
  };
  for (const auto& [name, program] : programs) Compare(name, program, false);
}

// The kernel's body, where `me` is the work-item; the order of its operations is ORDER.
Explored ExploreBody(std::string body, const std::string& order = "relaxed",
                     std::uint64_t items = 2) {
  for (std::size_t at = 0; (at = body.find("ORDER", at)) != std::string::npos;) {
    body.replace(at, 5, "memory_order_" + order + ", memory_scope_device");
  }
  return Explore(
      "kernel void k(global int* out, global atomic_int* x) {\n"
      "  const int me = get_global_id(0);\n" +
          body + "}\n",
      items, items);
}

std::set<std::vector<int>> FirstTwo(const Explored& explored) {
  std::set<std::vector<int>> outcomes;
  for (const std::vector<int>& out : explored.outcomes) outcomes.insert({out[0], out[1]});
  return outcomes;
}

TEST(ExploreAll, SequentiallyConsistentOperationsHaveAnOrder) {
  const std::string body =
      "atomic_store_explicit(&x[me], 1, ORDER);\n"
      "out[me] = atomic_load_explicit(&x[1 - me], ORDER);\n";
  const std::set<std::vector<int>> sequential = {{0, 1}, {1, 0}, {1, 1}};
  const Explored explored = ExploreBody(body, "seq_cst");
  EXPECT_EQ(explored.executions, 3u);
  EXPECT_EQ(FirstTwo(explored), sequential);
  EXPECT_EQ(FirstTwo(ExploreBody(body, "relaxed")).size(), 4u);
}

TEST(ExploreAll, LoadBufferingKeepsDependencies) {
  const std::set<std::vector<int>> all = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const std::set<std::vector<int>> none = {{0, 0}};
  const auto outcomes = [](const std::string& store) {
    return FirstTwo(
        ExploreBody("int r = atomic_load_explicit(&x[me], ORDER);\n" + store + "out[me] = r;\n"));
  };
  EXPECT_EQ(outcomes("atomic_store_explicit(&x[1 - me], 1, ORDER);\n"), all);
  // Out of thin air.
  EXPECT_EQ(outcomes("atomic_store_explicit(&x[1 - me], r, ORDER);\n"), none);
  EXPECT_EQ(outcomes("if (r == 1) atomic_store_explicit(&x[1 - me], 1, ORDER);\n"), none);
  EXPECT_EQ(outcomes("atomic_store_explicit(&x[r == 1 ? 1 - me : 2], 1, ORDER);\n"), none);
}

// What a load has read may be stored before the operation that overtakes it.
TEST(ExploreAll, PlainStoresOfTheResultAreNoDependency) {
  const std::set<std::vector<int>> all = {{0, 0}, {0, 5}, {5, 0}, {5, 5}};
  const Explored explored = ExploreBody(
      "out[me] = atomic_load_explicit(&x[me], ORDER) & 7u;\n"
      "atomic_store_explicit(&x[1 - me], 5, ORDER);\n");
  EXPECT_EQ(FirstTwo(explored), all);
  EXPECT_EQ(explored.executions, 4u);
  EXPECT_EQ(explored.repeated, 0u);
  EXPECT_THAT(explored.rules, testing::IsEmpty());
  const std::set<std::vector<int>> none = {{0, 0}};
  EXPECT_EQ(FirstTwo(ExploreBody("int r = atomic_load_explicit(&x[me], ORDER);\n"
                                 "out[me] = r;\n"
                                 "atomic_store_explicit(&x[1 - me], r + r, ORDER);\n")),
            none);
}

TEST(ExploreAll, WaitingEnds) {
  const Explored explored = ExploreBody(
      "if (me == 0) { out[1] = 42; atomic_store_explicit(x, 1, ORDER); }\n"
      "else { while (atomic_load_explicit(x, memory_order_acquire, memory_scope_device) == 0) ;\n"
      "  out[0] = out[1]; }\n",
      "release");
  EXPECT_EQ(explored.executions, 2u) << "at once, or after one round";
  EXPECT_EQ(FirstTwo(explored), (std::set<std::vector<int>>{{42, 42}}));
  for (const std::string& rule : explored.rules) EXPECT_EQ(rule, "item-progress");
}

TEST(ExploreAll, ALockWithTwoVariables) {
  // Peterson's algorithm; a loop over two variables.
  const std::string body =
      "atomic_store_explicit(&x[me], 1, ORDER);\n"
      "atomic_store_explicit(&x[2], 1 - me, ORDER);\n"
      "while (atomic_load_explicit(&x[1 - me], ORDER) == 1 &&\n"
      "       atomic_load_explicit(&x[2], ORDER) == 1 - me) ;\n"
      "out[0] += 1;\n"
      "atomic_store_explicit(&x[me], 0, ORDER);\n";
  const auto races = [](const Explored& explored) {
    return std::ranges::count_if(explored.rules,
                                 [](const std::string& rule) { return rule.starts_with("race-"); });
  };
  const Explored good = ExploreBody(body, "seq_cst");
  EXPECT_EQ(races(good), 0);
  EXPECT_GT(good.executions, 2u);
  for (const std::vector<int>& out : FirstTwo(good)) EXPECT_EQ(out[0], 2);
  EXPECT_GT(races(ExploreBody(body, "relaxed")), 0);
}

TEST(ExploreAll, ASpinLock) {
  const Explored explored = ExploreBody(
      "while (atomic_exchange_explicit(x, 1, memory_order_acquire, memory_scope_device) != 0) ;\n"
      "out[0] += 1;\n"
      "atomic_store_explicit(x, 0, memory_order_release, memory_scope_device);\n");
  for (const std::vector<int>& out : FirstTwo(explored)) EXPECT_EQ(out[0], 2);
  for (const std::string& rule : explored.rules) EXPECT_EQ(rule, "item-progress");
  EXPECT_GE(explored.executions, 2u);
}

TEST(ExploreAll, ALivelockIsFound) {
  const Explored explored = ExploreBody(
      "if (me == 0) { while (atomic_load_explicit(x, ORDER) != 2) ; }\n"
      "else atomic_store_explicit(x, 1, ORDER);\n");
  EXPECT_THAT(explored.rules, testing::Contains("livelock"));
}

TEST(ExploreAll, WhatCountsWhileItWaitsIsNoLivelock) {
  const Explored explored = ExploreBody(
      "if (me == 0) {\n"
      "  int n = 0;\n"
      "  while (atomic_load_explicit(x, ORDER) == 0) {\n"
      "    if (++n == 5) atomic_store_explicit(x + 1, 1, ORDER);\n"
      "  }\n"
      "} else {\n"
      "  while (atomic_load_explicit(x + 1, ORDER) == 0) ;\n"
      "  atomic_store_explicit(x, 1, ORDER);\n"
      "}\n");
  EXPECT_GE(explored.executions, 1u);
  for (const std::string& rule : explored.rules) EXPECT_EQ(rule, "item-progress");
}

TEST(ExploreAll, BarriersOrderEvents) {
  const Explored explored = ExploreBody(
      "if (me == 0) atomic_store_explicit(x, 1, ORDER);\n"
      "barrier(CLK_GLOBAL_MEM_FENCE);\n"
      "out[me] = atomic_fetch_add_explicit(x, 1, ORDER);\n");
  EXPECT_EQ(explored.executions, 2u);
  EXPECT_EQ(FirstTwo(explored), (std::set<std::vector<int>>{{1, 2}, {2, 1}}));
}

TEST(ExploreAll, PrintedLinesHaveAnOrder) {
  EXPECT_EQ(ExploreBody("printf(\"%d\", me);\n", "relaxed", 3).executions, 6u);
}

TEST(ExploreAll, NothingToChoose) {
  const Explored explored = ExploreBody("out[me] = me;\n");
  EXPECT_EQ(explored.executions, 1u);
  EXPECT_EQ(explored.runs, 1u);
}

}  // namespace
}  // namespace assay::interp
