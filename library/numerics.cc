#include "assay/numerics.h"

#include <array>
#include <cmath>
#include <limits>

#include "library/chunks.h"
#include "library/function_impl.h"
#include "numerics/functions.h"
#include "numerics/rounded.h"
#include "oracle/judge/ulp_distance.h"

namespace assay::api {
inline namespace v1 {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::ResultKind;
using numerics::ScalarType;

using numerics::kInfinity;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Slot> SlotsOf(const std::vector<numerics::Slot>& slots) {
  std::vector<Slot> made;
  for (const numerics::Slot& slot : slots) {
    made.push_back({static_cast<Element>(slot.type), slot.components});
  }
  return made;
}

bool HasVectors(const std::vector<Slot>& slots) {
  return std::any_of(slots.begin(), slots.end(),
                     [](const Slot& slot) { return slot.components > 1; });
}

// -1, 0, 1: the answer lies below the exact value, is it, lies above.  Both are numbers, or the
// answer is an infinity, which counts as the number after the largest one.
int SideOf(const Exact& exact, Format format, Bits answer) {
  const bool negative = numerics::IsNegative(format, exact.below);
  // Away from zero on the exact value's side.
  const std::int64_t index = numerics::OrderedIndex(format, answer);
  const std::int64_t beyond = (negative ? -index : index) -
                              static_cast<std::int64_t>(numerics::Magnitude(format, exact.below));
  const auto steps = static_cast<double>(beyond);
  const int side = steps > exact.fraction ? 1 : steps < exact.fraction ? -1 : 0;
  return negative ? -side : side;
}

double ErrorOf(const Exact& exact, ScalarType type, Bits answer, ErrorSign sign) {
  if (!numerics::IsFloating(type) || exact.kind == ResultKind::kUnspecified) return kNan;
  const Format format = numerics::FormatOf(type);
  const bool is_nan = numerics::IsNan(format, answer);
  if (exact.kind == ResultKind::kNan) return is_nan ? 0 : kInfinity;
  if (is_nan) return kInfinity;
  if (exact.kind == ResultKind::kInfinite) return answer == exact.below ? 0 : kInfinity;
  const double error = oracle::Distance(exact, format, answer);
  if (sign == ErrorSign::kMagnitude || error == 0) return error;
  return SideOf(exact, format, answer) < 0 ? -error : error;
}

// Geometric functions: an array for each component is what the evaluator takes.
class Components {
 public:
  explicit Components(const std::vector<numerics::Slot>& slots) {
    for (const numerics::Slot& slot : slots) {
      for (int c = 0; c < slot.components; ++c) {
        columns_.emplace_back(kChunk * numerics::SizeOf(slot.type));
      }
    }
  }
  std::vector<void*> pointers() {
    std::vector<void*> all;
    for (std::vector<std::byte>& column : columns_) all.push_back(column.data());
    return all;
  }

 private:
  std::vector<std::vector<std::byte>> columns_;
};

void Gather(const numerics::Slot& slot, const void* items, std::size_t count, void* const* to) {
  const auto components = static_cast<std::size_t>(slot.components);
  for (std::size_t i = 0; i < count * components; ++i) {
    numerics::StoreElement(slot.type, to[i % components], i / components,
                           numerics::LoadElement(slot.type, items, i));
  }
}

void Scatter(const numerics::Slot& slot, const void* const* from, std::size_t count, void* items) {
  const auto components = static_cast<std::size_t>(slot.components);
  for (std::size_t i = 0; i < count * components; ++i) {
    numerics::StoreElement(slot.type, items, i,
                           numerics::LoadElement(slot.type, from[i % components], i / components));
  }
}

void* Advanced(void* data, std::size_t bytes) { return static_cast<std::byte*>(data) + bytes; }

void EvaluateVectors(const Function::Impl& impl, const numerics::RoundedEvaluator& evaluator,
                     const Operands& columns, std::span<void* const> results, std::size_t begin,
                     std::size_t count) {
  const std::vector<numerics::Slot> outputs = impl.operation.Outputs();
  Components in(impl.input_slots), out(outputs);
  const std::vector<void*> operands = in.pointers(), answers = out.pointers();
  std::size_t component = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Gather(impl.input_slots[i], columns.From(i, begin), count, &operands[component]);
    component += static_cast<std::size_t>(impl.input_slots[i].components);
  }
  evaluator.Evaluate(operands.data(), answers.data(), count);
  component = 0;
  for (std::size_t r = 0; r < outputs.size(); ++r) {
    const auto width = static_cast<std::size_t>(outputs[r].components);
    Scatter(outputs[r], &answers[component], count,
            Advanced(results[r], begin * width * numerics::SizeOf(outputs[r].type)));
    component += width;
  }
}

}  // namespace

std::string_view NameOf(Element element) {
  return numerics::ScalarTypeName(static_cast<ScalarType>(element));
}
std::size_t SizeOf(Element element) { return numerics::SizeOf(static_cast<ScalarType>(element)); }

Function::Impl::Impl(const numerics::Operation& of)
    : operation(of),
      name(of.Name()),
      format(of.FormatName()),
      operands(SlotsOf(of.Inputs())),
      results(SlotsOf(of.Outputs())),
      input_slots(of.Inputs()),
      result_types(of.ResultTypes()),
      fast(of),
      exact(of, numerics::Path::kMpfrOnly) {}

Result<Function> Function::Find(std::string_view name, std::string_view format) {
  const auto operation = numerics::OperationFromName(name, format);
  if (!operation) {
    return Error{static_cast<ErrorKind>(operation.error().kind), operation.error().message};
  }
  return Function(std::make_shared<Impl>(*operation));
}

const std::string& Function::name() const { return impl_->name; }
const std::string& Function::format() const { return impl_->format; }
const std::vector<Slot>& Function::operands() const { return impl_->operands; }
const std::vector<Slot>& Function::results() const { return impl_->results; }

bool Function::Evaluate(std::span<const Column> operands, std::span<void* const> results,
                        std::size_t count, Rounding rounding, const Work& work) const {
  const Impl& impl = *impl_;
  // A conversion with a mode in its name has no other.
  const auto mode = impl.operation.suffix.value_or(static_cast<numerics::Rounding>(rounding));
  const numerics::RoundedEvaluator evaluator(impl.operation, mode, false);
  const Operands columns(impl.input_slots, operands);
  const bool has_vectors = HasVectors(impl.operands) || HasVectors(impl.results);
  return ForChunks(work, count, [&](std::size_t begin, std::size_t end) {
    if (has_vectors) {
      EvaluateVectors(impl, evaluator, columns, results, begin, end - begin);
      return;
    }
    std::array<const void*, 3> from{};
    std::array<void*, numerics::kMaxResults> to{};
    for (std::size_t i = 0; i < columns.size(); ++i) from[i] = columns.From(i, begin);
    for (std::size_t r = 0; r < impl.result_types.size(); ++r) {
      to[r] = Advanced(results[r], begin * numerics::SizeOf(impl.result_types[r]));
    }
    evaluator.Evaluate(from.data(), to.data(), end - begin);
  });
}

bool Function::UlpErrors(std::span<const Column> operands, std::span<const void* const> answers,
                         std::span<double* const> errors, std::size_t count, ErrorSign sign,
                         ErrorDigits digits, const Work& work) const {
  const Impl& impl = *impl_;
  const bool is_double = impl.operation.format == numerics::Format::kDouble;
  const bool is_exact = digits == ErrorDigits::kAll || is_double;
  const numerics::BatchEvaluator& evaluator = is_exact ? impl.exact : impl.fast;
  const Operands columns(impl.input_slots, operands);
  const std::size_t per_item = impl.result_types.size();
  return ForChunks(work, count, [&](std::size_t begin, std::size_t end) {
    thread_local std::vector<Exact> exact;
    exact.resize(kChunk * per_item);
    const auto from = columns.ColumnsFrom(begin);
    evaluator.Evaluate(std::span(from).first(columns.size()), 0, end - begin, exact.data());
    std::size_t first = 0;  // of the result's components
    for (std::size_t r = 0; r < impl.results.size(); ++r) {
      const auto width = static_cast<std::size_t>(impl.results[r].components);
      const ScalarType type = impl.result_types[first];
      for (std::size_t i = begin * width; i < end * width; ++i) {
        const Exact& value = exact[(i / width - begin) * per_item + first + i % width];
        errors[r][i] = ErrorOf(value, type, numerics::LoadElement(type, answers[r], i), sign);
      }
      first += width;
    }
  });
}

std::vector<FunctionInfo> AllFunctions() {
  std::vector<FunctionInfo> all;
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    FunctionInfo made{.name = std::string(info.name),
                      .function_class = std::string(numerics::FunctionClassName(info.cls)),
                      .operands = std::string(info.operands),
                      .results = std::string(info.results),
                      .formats = {},
                      .expression = std::string(info.expression)};
    for (const Format format : numerics::kAllFormats) {
      if (info.Supports(format)) made.formats.emplace_back(numerics::Traits(format).name);
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace v1
}  // namespace assay::api
