// A high-precision shadow (numerics/shadow.h) beside every floating-point number of a run: it shows
// which digits are right, and which instructions lost the others.
//
// A number is identified by the address of its register or memory cell in this process.  A record
// is valid while the bits beside it stay unchanged.  A number without a record (an input, a
// constant, the result of integer operations) is exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/debug/value.h"
#include "numerics/shadow.h"

namespace assay::interp {

// The operation that computed a number.
struct DebugOrigin {
  DebugMarker place;
  numerics::ShadowNumber exact;  // the instruction's exact result, of the operands that it had
  std::vector<std::uint64_t> operands;
  numerics::Format format = numerics::Format::kFloat;  // of those operands that are numbers
};

struct DebugShadowCell {
  std::uint64_t bits = 0;
  numerics::Format format = numerics::Format::kFloat;
  numerics::ShadowNumber value;
  DebugOrigin origin;
  double lost_in_chain = 0;  // as DebugLoss

  // Against the shadow, in ulp.  An overflow obeys the rules of its instruction, but is not the
  // right result: the error is infinite.
  double AccumulatedError() const;
};

// The digits that an instruction at a call site lost.
struct DebugLoss {
  std::uint64_t executions = 0;
  // The most bits lost by a chain of executions, each of which has the result of the one before as
  // an operand, as in a sum in a loop.
  double in_chain = 0;
  double own_error = 0;         // the largest error of its own rounding, in ulp
  std::uint64_t decisions = 0;  // of a comparison or conversion to integers ...
  std::uint64_t otherwise = 0;  // ... those that the shadows would make otherwise
  double error_in_chain = 0;    // of the result that ends it, in ulp
  std::uint64_t chain_time = 0;
  std::array<std::uint64_t, 3> chain_global_id = {};
  // The execution that lost most, or the first that decided otherwise.
  double worst = 0;      // bits
  double before = 0;     // right bits of the operand that has fewest
  double after = 0;      // ... of the result
  double error = 0;      // of the result, in ulp
  double cancelled = 0;  // bits by which the result is smaller than the largest term
  int precision = 24;    // of its format
  std::uint64_t time = 0;
  std::array<std::uint64_t, 3> global_id = {};
};

class DebugShadow {
 public:
  explicit DebugShadow(int precision) : precision_(precision) {}

  // Registers are those of a launch; memory stays.
  void Begin();
  void Computed(const DebugProgram& program, const DebugItem& item, std::uint32_t operation,
                std::uint64_t time);

  // Of a number of so many bytes at this place; null where it is exact.
  const DebugShadowCell* Find(const std::byte* place, std::uint64_t bytes) const;
  int precision() const { return precision_; }
  std::uint64_t operations() const { return operations_; }

  // Instructions that lost digits or that decided differently than the exact values would, the
  // worst first.
  std::vector<std::pair<DebugMarker, DebugLoss>> Losses() const;

 private:
  struct Step;
  using Cell = DebugShadowCell;

  void Move(const Step& step, std::size_t operand, std::size_t result);
  void Moves(const Step& step);
  void Load(const Step& step);
  void Store(const Step& step);
  void CopyMemory(const Step& step);
  void Compute(const Step& step, const numerics::Operation& operation);
  void ConvertToFloat(const Step& step);
  void Negate(const Step& step);
  void Decide(const Step& step);
  void Keep(const Step& step, std::size_t result, numerics::ShadowNumber value,
            numerics::ShadowNumber exact);
  void Judge(const Step& step, const numerics::Operation& operation, Cell* result);
  double ChainBefore(const Step& step) const;
  DebugLoss& LossAt(const Step& step);
  void Note(const Step& step, DebugLoss* loss) const;
  numerics::ShadowNumber ShadowOf(const Step& step, std::size_t operand) const;
  void Forget(const std::byte* place, std::uint64_t bytes);

  int precision_;
  std::uint64_t operations_ = 0;
  std::unordered_map<const std::byte*, Cell> registers_;
  std::map<const std::byte*, Cell> memory_;                              // none overlap
  std::map<std::pair<std::uint32_t, std::uint32_t>, DebugLoss> losses_;  // by origin and site
};

numerics::ScalarType IntegerTypeOf(Kind kind, bool is_signed);
// The built-in that an operation on scalars is; nothing where it is none.
std::optional<numerics::Operation> BuiltinOf(const Program& program,
                                             const DebugOperation& operation);

// The operation that computed a number in a register or in memory, if its operands are still in
// registers; else kUsage with the reason.
Expected<DebugOrigin> FindOrigin(const DebugProgram& program, const DebugItem& item,
                                 const std::byte* place, std::uint64_t bytes);

}  // namespace assay::interp
