#include "numerics/evaluate.h"

#include <array>
#include <cstring>

#include "numerics/convert.h"
#include "numerics/edge_cases.h"
#include "numerics/evaluate_builtin.h"
#include "numerics/fast_path.h"
#include "numerics/literal.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

// Every digit of a format number.
std::string DecimalOf(Format format, Bits bits) {
  Real real(64);
  SetBits(real, format, bits);
  char* text = nullptr;
  // %Rg prints no trailing zeros, and 800 digits hold every double.
  mpfr_asprintf(&text, "%.800Rg", static_cast<mpfr_srcptr>(real.get()));
  std::string decimal(text);
  mpfr_free_str(text);
  return decimal;
}

// A conversion's exact value is its operand.
std::string OperandDecimal(const Operation& operation, Bits bits) {
  if (IsFloating(operation.from)) return DecimalOf(FormatOf(operation.from), bits);
  return FormatDecimal(operation.from, bits);
}

}  // namespace

void EvaluateExact(const Operation& operation, std::span<const Bits> args,
                   std::span<Exact> results) {
  if (operation.kind != OperationKind::kBuiltin) {
    ConvertBatch(operation, args.data(), 0, 1, results.data());
    return;
  }
  // A clause that prescribes every result makes the evaluation needless; one that prescribes the
  // first of two leaves the second to the body.
  if (results.size() == 1) {
    if (FindEdgeCase(operation, args, results) == nullptr) EvaluateBody(operation, args, results);
    return;
  }
  EvaluateBody(operation, args, results);
  FindEdgeCase(operation, args, results);
}

std::vector<std::string> ExactDecimal(const Operation& operation, std::span<const Bits> args,
                                      int digits) {
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
        lines[at] = DecimalOf(FormatOf(slot.type), exact.below);
      } else if (number && operation.kind != OperationKind::kBuiltin) {
        lines[at] = OperandDecimal(operation, args[0]);
      } else if (!number) {
        lines[at].clear();
      }
    }
  }
  return lines;
}

Bits LoadElement(ScalarType type, const void* data, std::size_t index) {
  const std::size_t size = SizeOf(type);
  Bits bits = 0;
  std::memcpy(&bits, static_cast<const char*>(data) + index * size, size);
  return bits;
}

void StoreElement(ScalarType type, void* data, std::size_t index, Bits bits) {
  const std::size_t size = SizeOf(type);
  std::memcpy(static_cast<char*>(data) + index * size, &bits, size);
}

struct BatchEvaluator::Impl {
  Operation operation;
  const FastPath* fast = nullptr;
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

  template <typename Load>
  void EvaluateUnary(std::span<const ConstColumn> columns, std::size_t begin, std::size_t end,
                     Exact* results, Load load) const {
    const Format format = operation.format;
    const FastPath path = *fast;
    for (std::size_t i = begin; i < end; ++i) {
      Exact* result = results + (i - begin);
      const Bits bits = load(i);
      const Bits magnitude = Magnitude(format, bits);
      if (magnitude > Infinity(format)) {
        *result = Exact::Nan();
        continue;
      }
      if (magnitude != 0 && magnitude != Infinity(format)) {
        const double value = path.unary(ToDouble(format, bits));
        if (value != value) {
          *result = Exact::Nan();
          continue;
        }
        if (Locate(format, value, path.relative_error, result)) continue;
      }
      EvaluateSlow(columns, i, result);
    }
  }

  static bool Ordinary(ScalarType type, Bits bits) {
    if (!IsFloating(type)) return true;
    const Format format = FormatOf(type);
    return IsFinite(format, bits) && !IsZero(format, bits);
  }

  static double AsDouble(ScalarType type, Bits bits) {
    return IsFloating(type) ? ToDouble(FormatOf(type), bits)
                            : static_cast<double>(static_cast<std::int32_t>(bits));
  }

  void EvaluateBinary(std::span<const ConstColumn> columns, std::size_t begin, std::size_t end,
                      Exact* results) const {
    const FastPath path = *fast;
    const ScalarType x_type = columns[0].slot.type, y_type = columns[1].slot.type;
    for (std::size_t i = begin; i < end; ++i) {
      Exact* result = results + (i - begin);
      const Bits x = LoadElement(x_type, columns[0].data, i);
      const Bits y = LoadElement(y_type, columns[1].data, i);
      if (Ordinary(x_type, x) && Ordinary(y_type, y)) {
        const double value = path.binary(AsDouble(x_type, x), AsDouble(y_type, y));
        if (value != value) {
          *result = Exact::Nan();
          continue;
        }
        if (Locate(operation.format, value, path.relative_error, result)) continue;
      }
      EvaluateSlow(columns, i, result);
    }
  }
};

BatchEvaluator::BatchEvaluator(const Operation& operation, Path path)
    : impl_(std::make_unique<Impl>()) {
  impl_->operation = operation;
  impl_->inputs = operation.Inputs();
  impl_->result_count = static_cast<std::size_t>(operation.ResultCount());
  if (operation.kind == OperationKind::kBuiltin && path == Path::kCertified) {
    impl_->fast = FindFastPath(operation.function, operation.format);
  }
}

BatchEvaluator::~BatchEvaluator() = default;
BatchEvaluator::BatchEvaluator(BatchEvaluator&&) noexcept = default;

bool BatchEvaluator::IsFast() const {
  return impl_->fast != nullptr || impl_->operation.kind != OperationKind::kBuiltin;
}

void BatchEvaluator::Evaluate(std::span<const ConstColumn> inputs, std::size_t begin,
                              std::size_t end, Exact* results) const {
  const Impl& impl = *impl_;
  if (impl.operation.kind != OperationKind::kBuiltin) {
    ConvertBatch(impl.operation, inputs[0].data, begin, end, results);
    return;
  }
  if (impl.fast != nullptr && impl.fast->unary != nullptr) {
    const void* data = inputs[0].data;
    if (impl.operation.format == Format::kFloat) {
      impl.EvaluateUnary(inputs, begin, end, results, [data](std::size_t i) -> Bits {
        return static_cast<const std::uint32_t*>(data)[i];
      });
    } else {
      impl.EvaluateUnary(inputs, begin, end, results, [data](std::size_t i) -> Bits {
        return static_cast<const std::uint16_t*>(data)[i];
      });
    }
    return;
  }
  if (impl.fast != nullptr && impl.fast->binary != nullptr) {
    impl.EvaluateBinary(inputs, begin, end, results);
    return;
  }
  for (std::size_t i = begin; i < end; ++i) {
    impl.EvaluateSlow(inputs, i, results + (i - begin) * impl.result_count);
  }
}

}  // namespace assay::numerics
