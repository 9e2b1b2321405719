// What conforms although the plain rule refuses it: other computations, subnormals taken as zeros,
// zeros without a sign.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "oracle/judge/verdict.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ResultKind;
using numerics::ScalarType;

namespace {}

// Refused by the plain rule: every allowance that the chapter and the build options grant is tried.
Outcome Judge::SecondThoughts(std::span<const Bits> args, const Exact& truth, Bits observed,
                              int index, const Outcome& refused) const {
  if (IsDerivation(args, observed, index)) return {Rule::kDerivation, refused.ulp};
  if (IsDefinition(args, observed)) return {Rule::kDerivation, refused.ulp};
  if (edges_open_ && AnyOperandNotFinite(args)) return {Rule::kUnspecified, kNotApplicable};
  if (no_zero_signs_ && ConformsForOtherOperands(args, observed, index, Alter::kZeroSigns)) {
    return {Rule::kDerivation, refused.ulp};
  }
  const bool is_nextafter = IsNextafter();
  if (may_flush_operands_ && is_nextafter && IsFlushedNextafter(args, observed)) {
    return {Rule::kFlushedNextafter, refused.ulp};
  }
  if (IsExemptFromFlushing(truth)) return refused;
  if (may_flush_results_ &&
      (IsFlushedResult(truth, args, observed, index) || IsFlushedProduct(args, observed))) {
    return {Rule::kFlushedResult, refused.ulp};
  }
  // The suite has the answers of IsFlushedNextafter in place of those for flushed operands.
  if (suite_ && is_nextafter) return refused;
  if (may_flush_operands_ &&
      ConformsForOtherOperands(args, observed, index, Alter::kSubnormalsAndZeroSigns)) {
    return {Rule::kFlushedOperand, refused.ulp};
  }
  return refused;
}

bool Judge::IsNextafter() const {
  return operation_.kind == OperationKind::kBuiltin && operation_.function == Function::nextafter;
}

// 7.5: "The usual allowances for rounding error or flushing behavior shall not apply for those
// values for which" F.9 or 7.5.1 "prescribe a result (e.g. ceil(-1 < x < 0) returns -0)."  What is
// prescribed of nextafter at equal operands stands elsewhere (C99 7.12.11.3).  The suite knows no
// such exemption.
bool Judge::IsExemptFromFlushing(const Exact& exact) const {
  return exact.prescribed && !unsafe_ && !suite_ && !IsNextafter();
}

bool Judge::IsDerivation(std::span<const Bits> args, Bits observed, int index) const {
  const LimitKind kind = KindOf(*limit_);
  if (kind != LimitKind::kOneOf && kind != LimitKind::kDerivedOrUlp) return false;
  return AllowedByDerivation(*limit_, operation_, options_.profile, args, index, observed,
                             rounding_) ||
         (default_rounding_ != rounding_ &&
          AllowedByDerivation(*limit_, operation_, options_.profile, args, index, observed,
                              default_rounding_));
}

// 7.5.3 inside a * b + c: a product that is subnormal before rounding may be flushed, which leaves
// the addend.
bool Judge::IsFlushedProduct(std::span<const Bits> args, Bits observed) const {
  if (KindOf(*limit_) != LimitKind::kOneOf || args.size() != 3) return false;
  std::array<Exact, 1> product;
  const Format f = operation_.format;
  EvaluateExact(Operation::Builtin(Function::mul, f), args.first(2), product);
  return IsSubnormalBeforeRounding(product[0], f) &&
         (observed == args[2] || (numerics::IsZero(f, observed) && numerics::IsZero(f, args[2])));
}

// mix and smoothstep are "implemented as" a formula (6.15.4): what the formula gives in the
// format's own arithmetic conforms, its overflows and rounding errors at large operands included.
bool Judge::IsDefinition(std::span<const Bits> args, Bits observed) const {
  if (operation_.kind != OperationKind::kBuiltin) return false;
  const Format f = operation_.format;
  const auto apply = [&](Function function, std::initializer_list<Bits> operands) {
    std::array<Exact, 1> exact;
    EvaluateExact(Operation::Builtin(function, f), std::vector<Bits>(operands), exact);
    return Round(exact[0], f, rounding_);
  };
  const auto equal = [&](Bits result) {
    return observed == result || (numerics::IsNan(f, observed) && numerics::IsNan(f, result));
  };
  if (operation_.function == Function::mix) {
    const Bits x = args[0], a = args[2];
    const Bits difference = apply(Function::sub, {args[1], x});
    return equal(apply(Function::add, {x, apply(Function::mul, {difference, a})})) ||
           equal(apply(Function::fma, {difference, a, x}));
  }
  if (operation_.function == Function::smoothstep) {
    const Bits one = numerics::One(f);
    const Bits two = one + numerics::MinNormal(f), three = two + numerics::MinNormal(f) / 2;
    const Bits quotient = apply(Function::div, {apply(Function::sub, {args[2], args[0]}),
                                                apply(Function::sub, {args[1], args[0]})});
    const Bits t = apply(Function::fmin, {apply(Function::fmax, {quotient, 0}), one});
    const Bits square = apply(Function::mul, {t, t});
    return equal(apply(Function::mul,
                       {square, apply(Function::sub, {three, apply(Function::mul, {two, t})})}));
  }
  return false;
}

bool Judge::AnyOperandNotFinite(std::span<const Bits> args) const {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (numerics::IsFloating(argument_types_[i]) &&
        !numerics::IsFinite(numerics::FormatOf(argument_types_[i]), args[i])) {
      return true;
    }
  }
  return false;
}

// 7.5.3 (2): a conforming result that is subnormal before rounding may become a zero of any sign.
// A result within the limit of a subnormal one counts: some conforming answer is subnormal.
bool Judge::IsFlushedResult(const Exact& exact, std::span<const Bits> args, Bits observed,
                            int index) const {
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  if (!numerics::IsFloating(type) || !may_flush_results_) return false;
  const Format format = numerics::FormatOf(type);
  if (!numerics::IsZero(format, observed) || exact.kind != ResultKind::kFinite ||
      (exact.prescribed && !suite_)) {
    return false;
  }
  if (IsSubnormalBeforeRounding(exact, format)) return true;
  const Tolerance tolerance =
      constant_ ? tolerance_ : ToleranceAt(*limit_, operation_, args, index);
  const Bits magnitude = numerics::Magnitude(format, exact.below);
  return tolerance.kind == LimitKind::kUlp && magnitude >= numerics::MinNormal(format) &&
         static_cast<double>(magnitude - numerics::MinNormal(format)) + exact.fraction <
             tolerance.ulp;
}

// 7.5.3: nextafter on a grid without subnormals.
bool Judge::IsFlushedNextafter(std::span<const Bits> args, Bits observed) const {
  const Format f = operation_.format;
  const Bits x = args[0], y = args[1], normal = numerics::MinNormal(f);
  if (numerics::IsNan(f, y) || numerics::IsNan(f, x)) return false;
  const bool from_zero = numerics::IsZero(f, x) || numerics::IsSubnormal(f, x);
  if (suite_) {
    // From anything that counts as zero, the smallest normal number with the sign of y.
    return from_zero &&
           observed == (numerics::IsNegative(f, y) ? numerics::Negate(f, normal) : normal);
  }
  const std::int64_t to = numerics::OrderedIndex(f, y);
  const auto step = static_cast<std::int64_t>(normal);
  if (x == normal && to < step) return observed == 0;
  if (x == numerics::Negate(f, normal) && to > -step) return observed == numerics::SignMask(f);
  if (!from_zero) return false;
  if (to > 0) return observed == normal;
  if (to < 0) return observed == numerics::Negate(f, normal);
  return false;
}

// The values that an operand may be replaced by: at most two.
std::span<const Bits> Judge::TakenFor(std::size_t operand, Bits bits, Alter alter,
                                      std::array<Bits, 2>* values) const {
  if (!numerics::IsFloating(argument_types_[operand])) return {};
  const Format f = numerics::FormatOf(argument_types_[operand]);
  if (alter == Alter::kSubnormalsAndZeroSigns && numerics::IsSubnormal(f, bits)) {
    *values = {0, numerics::SignMask(f)};
    return *values;
  }
  if (no_zero_signs_ && numerics::IsZero(f, bits)) {
    (*values)[0] = numerics::Negate(f, bits);
    return std::span(*values).first(1);
  }
  return {};
}

// 7.5.3 (3) and (4): conforming for some non-empty set of subnormal operands taken as zeros of
// some sign, with a subnormal result flushed or not; -cl-no-signed-zeros: for zeros of other signs.
bool Judge::ConformsForOtherOperands(std::span<const Bits> args, Bits observed, int index,
                                     Alter alter) const {
  std::array<std::array<Bits, 2>, numerics::kMaxArguments> values{};
  std::array<std::span<const Bits>, numerics::kMaxArguments> taken_for{};
  std::size_t choices = 1;  // of all operands together: each kept, or taken for one of its values
  for (std::size_t i = 0; i < args.size(); ++i) {
    taken_for[i] = TakenFor(i, args[i], alter, &values[i]);
    choices *= 1 + taken_for[i].size();
  }
  std::array<Bits, numerics::kMaxArguments> altered{};
  std::array<Exact, numerics::kMaxResults> exact;
  for (std::size_t choice = 1; choice < choices; ++choice) {
    std::size_t digits = choice;
    for (std::size_t i = 0; i < args.size(); ++i) {
      const std::size_t base = 1 + taken_for[i].size();
      altered[i] = digits % base == 0 ? args[i] : taken_for[i][digits % base - 1];
      digits /= base;
    }
    const auto operands = std::span<const Bits>(altered).first(args.size());
    EvaluateExact(operation_, operands, std::span(exact).first(types_.size()));
    Exact& truth = exact[static_cast<std::size_t>(index)];
    truth.any_zero_sign = true;
    if (Accepts(JudgePlainly(operands, truth, observed, index).rule) ||
        IsFlushedResult(truth, operands, observed, index) ||
        IsDerivation(operands, observed, index)) {
      return true;
    }
  }
  return false;
}

}  // namespace assay::oracle
