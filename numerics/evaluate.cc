#include "numerics/evaluate.h"

#include <array>

#include "numerics/convert.h"
#include "numerics/edge_cases.h"
#include "numerics/evaluate_builtin.h"
#include "numerics/fast_path_batch.h"
#include "numerics/literal.h"
#include "numerics/real.h"
#include "numerics/shape.h"

namespace assay::numerics {
namespace {

constexpr int kAllDigits = 800;  // hold every double

std::string DecimalOf(Format format, Bits bits, int digits) {
  Real real(64);
  SetBits(real, format, bits);
  char* text = nullptr;
  // %Rg prints no trailing zeros.
  mpfr_asprintf(&text, "%.*Rg", digits, static_cast<mpfr_srcptr>(real.get()));
  std::string decimal(text);
  mpfr_free_str(text);
  return decimal;
}

// A conversion's exact value is its operand.
std::string OperandDecimal(const Operation& operation, Bits bits, int digits) {
  if (IsFloating(operation.from)) return DecimalOf(FormatOf(operation.from), bits, digits);
  return FormatDecimal(operation.from, bits);
}

// Is a zero result the sum of two addends with different signs?
bool IsCancelled(const Operation& operation, std::span<const Bits> args, const Exact& sum) {
  const Format f = operation.format;
  if (sum.kind != ResultKind::kFinite || sum.fraction != 0 || !IsZero(f, sum.below)) return false;
  const auto has_sign = [&](std::size_t i) { return IsNegative(f, args[i]); };
  if (operation.function == Function::add) return has_sign(0) != has_sign(1);
  if (operation.function == Function::sub) return has_sign(0) == has_sign(1);
  return BaseOf(operation.function) == Function::fma && (has_sign(0) != has_sign(1)) != has_sign(2);
}

}  // namespace

void EvaluateExact(const Operation& operation, std::span<const Bits> args,
                   std::span<Exact> results) {
  EvaluateExact(operation, args, results, Fractions::kFine);
}

void EvaluateExact(const Operation& operation, std::span<const Bits> args, std::span<Exact> results,
                   Fractions fractions) {
  if (operation.kind != OperationKind::kBuiltin) {
    ConvertBatch(operation, args.data(), 0, 1, results.data());
    return;
  }
  // A clause that prescribes every result makes the evaluation needless; one that prescribes the
  // first of two leaves the second to the body.
  if (results.size() == 1) {
    if (FindEdgeCase(operation, args, results) == nullptr) {
      EvaluateBody(operation, args, results, fractions);
    }
    results[0].cancelled = IsCancelled(operation, args, results[0]);
    return;
  }
  EvaluateBody(operation, args, results, fractions);
  FindEdgeCase(operation, args, results);
}

std::vector<std::string> ExactDecimal(const Operation& operation, std::span<const Bits> args,
                                      int digits, ExactNumbers exact_numbers) {
  const int most = exact_numbers == ExactNumbers::kAllDigits ? kAllDigits : digits;
  const auto count = static_cast<std::size_t>(operation.ResultCount());
  std::vector<Exact> results(count);
  EvaluateExact(operation, args, results);
  std::vector<std::string> lines(count);
  if (operation.kind == OperationKind::kBuiltin) lines = DecimalDigits(operation, args, digits);
  std::size_t at = 0;
  for (const Slot& slot : operation.Outputs()) {
    for (int c = 0; c < slot.components; ++c, ++at) {
      const Exact& exact = results[at];
      const bool number = exact.kind == ResultKind::kFinite && IsFloating(slot.type);
      if (number && exact.fraction == 0) {
        lines[at] = DecimalOf(FormatOf(slot.type), exact.below, most);
      } else if (number && operation.kind != OperationKind::kBuiltin) {
        lines[at] = OperandDecimal(operation, args[0], most);
      } else if (!number) {
        lines[at].clear();
      }
    }
  }
  return lines;
}

struct BatchEvaluator::Impl {
  Operation operation;
  std::optional<FastBatch> fast;  // nothing: MPFR answers every item
  std::vector<Slot> inputs;
  std::size_t result_count = 1;

  void EvaluateSlow(std::span<const ConstColumn> columns, std::size_t item, Exact* results) const {
    std::array<Bits, kMaxArguments> args{};
    std::size_t count = 0;
    for (const ConstColumn& column : columns) {
      const auto components = static_cast<std::size_t>(column.slot.components);
      for (std::size_t c = 0; c < components; ++c) {
        args[count++] = LoadElement(column.slot.type, column.data, item * components + c);
      }
    }
    EvaluateExact(operation, std::span(args).first(count), {results, result_count});
  }
};

BatchEvaluator::BatchEvaluator(const Operation& operation, Path path)
    : impl_(std::make_unique<Impl>()) {
  impl_->operation = operation;
  impl_->inputs = operation.Inputs();
  impl_->result_count = static_cast<std::size_t>(operation.ResultCount());
  if (path == Path::kCertified) impl_->fast = FastBatch::Find(operation);
}

BatchEvaluator::~BatchEvaluator() = default;
BatchEvaluator::BatchEvaluator(BatchEvaluator&&) noexcept = default;

bool BatchEvaluator::IsFast() const {
  return impl_->fast.has_value() || impl_->operation.kind != OperationKind::kBuiltin ||
         !NeedsMpfr(impl_->operation);
}

void BatchEvaluator::Evaluate(std::span<const ConstColumn> inputs, std::size_t begin,
                              std::size_t end, Exact* results) const {
  const Impl& impl = *impl_;
  if (impl.operation.kind != OperationKind::kBuiltin) {
    ConvertBatch(impl.operation, inputs[0].data, begin, end, results);
    return;
  }
  if (impl.fast) {
    impl.fast->Evaluate(inputs, begin, end, results, [&](std::size_t item, Exact* exact) {
      impl.EvaluateSlow(inputs, item, exact);
    });
    return;
  }
  for (std::size_t i = begin; i < end; ++i) {
    impl.EvaluateSlow(inputs, i, results + (i - begin) * impl.result_count);
  }
}

}  // namespace assay::numerics
