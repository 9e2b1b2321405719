// Random programs without undefined behaviour: shifts are masked, divisors are not zero, indices
// are in bounds, all is initialised, barriers are where all work-items come.
//
// Each program has some operations and some features whose turn it is, so that all rows of both
// tables come up after the same number of programs, on all their types; what surrounds them is
// random.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numerics/format.h"
#include "tools/hunt/operations.h"
#include "tools/hunt/program.h"

namespace assay::tools {

class HuntGenerator;

// Something that is more than an operation: a loop, a structure, a sum in local memory.
struct HuntFeature {
  std::string_view name;
  HuntKind kind = HuntKind::kControl;
  std::string_view clause;
  void (*add)(HuntGenerator& to) = nullptr;
  bool (*is_there)(const HuntDevice& device) = nullptr;  // null: on all devices
};
std::span<const HuntFeature> ControlFeatures();
std::span<const HuntFeature> MemoryFeatures();
std::span<const HuntFeature> GroupFeatures();
std::span<const HuntFeature> AtomicFeatures();
std::span<const HuntFeature> HalfFeatures();
std::span<const HuntFeature> ImageFeatures();
std::span<const HuntFeature> PipeFeatures();
// All of them.
std::vector<const HuntFeature*> HuntFeatures();

// How many of each a program takes from the plan: few, since a driver's compiler takes its time by
// what a program has, and what is small already is made small sooner.
inline constexpr std::uint64_t kRootsOfProgram = 3;
inline constexpr std::uint64_t kFeaturesOfProgram = 1;

struct HuntPlan {
  std::vector<std::pair<std::size_t, HuntType>> roots;  // place in HuntOperations(), result's type
  std::vector<const HuntFeature*> features;
};
// All that the kinds have on the device, in an order that depends on the seed: each operation once,
// then each once more on another type, and so on.
HuntPlan PlanOf(const HuntDevice& device, const std::vector<HuntKind>& kinds, std::uint64_t seed);

// A function of its arguments alone.  `items`: at most 64.
HuntProgram GenerateProgram(const HuntDevice& device, const HuntPlan& plan, std::uint64_t seed,
                            std::uint64_t number, std::uint32_t items);

// What features use.
class HuntGenerator {
 public:
  HuntGenerator(const HuntDevice& device, const HuntPlan& plan, std::uint64_t seed,
                std::uint32_t items);

  const HuntDevice& device() const { return device_; }
  HuntRandom& random() { return random_; }
  HuntProgram& program() { return program_; }

  // An expression whose operands are operations up to this depth.
  HuntExpr Expr(HuntType type, int depth);
  HuntExpr Leaf(HuntType type);
  HuntExpr Load(HuntType type);
  HuntExpr Root(std::size_t operation, HuntType type);
  HuntExpr Operand(HuntType type, HuntOperand operand, int depth, bool is_judged);
  HuntExpr Special(HuntType type, bool may_be_subnormal);
  HuntExpr Bits(HuntType type, numerics::Bits kept, numerics::Bits set);
  HuntExpr Condition();                 // an int of 0 or 1, or another number
  HuntExpr Small(std::uint32_t below);  // a uint below it, a power of two
  HuntType IntegerType(int most_width = 16);
  HuntType ScalarType() { return IntegerType(1); }
  HuntType WordType();  // int, uint, long or ulong, which group functions take

  // Statements go to the end of the innermost block that is open.
  void Add(HuntStmt stmt);
  void Line(std::string head, std::vector<HuntExpr> exprs = {}, std::string cause = "");
  void Output(HuntExpr expr);
  // A new variable; it is known to Leaf.
  std::string Declare(HuntType type, HuntExpr value);
  // place = place ^ value;
  void Mix(const std::string& place, HuntType type, HuntExpr value);
  void Begin(std::string head, std::vector<HuntExpr> exprs = {}, std::string cause = "");
  void Else();
  void End();
  void Barrier(std::string_view fences = "CLK_LOCAL_MEM_FENCE");
  void Part(std::string name, HuntStmt text, bool is_inside);
  // An array of local memory of a place for each work-item of a group.
  std::string LocalArray(HuntType type);
  // A new array of the program's own in global memory, of elements that begin as `first`.
  std::string Cells(std::string_view type, std::uint64_t count, std::uint64_t first);
  std::string NewName(std::string_view prefix);
  static HuntExpr Raw(HuntType type, std::string form, std::vector<HuntExpr> kids = {},
                      std::string cause = "");
  // Hides variables, which a function's body does not see.
  std::vector<std::pair<std::string, HuntType>> TakeScope();
  void GiveScope(std::vector<std::pair<std::string, HuntType>> scope) { scope_ = std::move(scope); }
  void Know(const std::string& name, HuntType type) { scope_.emplace_back(name, type); }
  bool reads_buffers = true;  // Leaf may load: not in functions

  HuntProgram Finish() { return std::move(program_); }

 private:
  HuntExpr WithInput(HuntExpr expr);

  struct Block {
    HuntStmt stmt;
    bool is_otherwise = false;
    std::size_t scope = 0;
  };

  const HuntDevice& device_;
  std::vector<const HuntOperation*> operations_;  // this program's
  HuntRandom random_;
  HuntProgram program_;
  std::vector<Block> blocks_;
  std::vector<std::pair<std::string, HuntType>> scope_;
  int names_ = 0;
};

inline constexpr std::uint32_t kHuntMostLocal = 64;

}  // namespace assay::tools
