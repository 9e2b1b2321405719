#include "assay/judge.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "library/chunks.h"
#include "library/function_impl.h"
#include "oracle/judge/limits.h"
#include "oracle/judge/math_options.h"
#include "oracle/judge/verdict.h"

namespace assay::api {
inline namespace v1 {
namespace {

using numerics::Bits;
using numerics::Exact;

std::string_view KindName(oracle::LimitKind kind) {
  switch (kind) {
    case oracle::LimitKind::kCorrectlyRounded:
      return "correctly rounded";
    case oracle::LimitKind::kExact:
      return "exact";
    case oracle::LimitKind::kUlp:
      return "ulp";
    case oracle::LimitKind::kAbsolute:
      return "absolute";
    case oracle::LimitKind::kOneOf:
      return "one of";
    case oracle::LimitKind::kDerivedOrUlp:
      return "derived or ulp";
    case oracle::LimitKind::kPiecewise:
      return "piecewise";
    case oracle::LimitKind::kUnbounded:
      return "unbounded";
  }
  return "";
}

oracle::JudgeOptions Internal(const JudgeOptions& options) {
  const auto math = static_cast<oracle::MathMode>(options.math);
  return {.profile = static_cast<oracle::Profile>(options.profile),
          .math = math,
          .rounding = static_cast<numerics::Rounding>(options.rounding),
          .denormals = options.denormals,
          .build = oracle::MathOptionsOf(math, options.build_options),
          .reading = static_cast<oracle::Reading>(options.reading)};
}

// Keeps the largest error of an item's results; NaN is none.
double Larger(double most, double ulp) { return std::isnan(most) || ulp > most ? ulp : most; }

// The bits of an item's answers, and of its operands.
void GatherAnswers(const Function::Impl& of, std::span<const void* const> answers, std::size_t item,
                   std::span<Bits> observed) {
  std::size_t n = 0;
  for (std::size_t r = 0; r < of.results.size(); ++r) {
    const auto width = static_cast<std::size_t>(of.results[r].components);
    for (std::size_t c = 0; c < width; ++c, ++n) {
      observed[n] = numerics::LoadElement(of.result_types[n], answers[r], item * width + c);
    }
  }
}

std::size_t GatherOperands(std::span<const numerics::ConstColumn> columns, std::size_t item,
                           std::span<Bits> args) {
  std::size_t n = 0;
  for (const numerics::ConstColumn& column : columns) {
    const auto width = static_cast<std::size_t>(column.slot.components);
    for (std::size_t c = 0; c < width; ++c, ++n) {
      args[n] = numerics::LoadElement(column.slot.type, column.data, item * width + c);
    }
  }
  return n;
}

}  // namespace

struct Judge::Impl {
  Function function;
  oracle::Judge judge;
  LimitInfo limit;

  void Chunk(const Operands& columns, std::span<const void* const> answers, std::size_t begin,
             std::size_t end, const Verdicts& verdicts) const;
};

Result<Judge> Judge::Make(const Function& function, const JudgeOptions& options) {
  const numerics::Operation& operation = function.impl().operation;
  const oracle::JudgeOptions internal = Internal(options);
  const oracle::Limit* limit =
      oracle::FindLimit(operation, internal.profile, internal.build, internal.reading);
  if (limit == nullptr) {
    return Error{ErrorKind::kUsage,
                 fmt::format("there is no limit for {} of {} in this profile and math mode",
                             function.name(), function.format())};
  }
  LimitInfo info{.text = oracle::Describe(*limit, operation),
                 .clause = std::string(oracle::CitationOf(*limit)),
                 .kind = std::string(KindName(oracle::KindOf(*limit))),
                 .ulp = oracle::UlpValue(*limit, operation)};
  return Judge(std::make_shared<Impl>(
      Impl{function, oracle::Judge(operation, *limit, internal), std::move(info)}));
}

const LimitInfo& Judge::limit() const { return impl_->limit; }

void Judge::Impl::Chunk(const Operands& columns, std::span<const void* const> answers,
                        std::size_t begin, std::size_t end, const Verdicts& verdicts) const {
  const Function::Impl& of = function.impl();
  const std::size_t per_item = of.result_types.size();
  thread_local std::vector<Exact> exact;
  exact.resize(kChunk * per_item);
  const auto from = columns.ColumnsFrom(begin);
  const auto operands = std::span(from).first(columns.size());
  of.fast.Evaluate(operands, 0, end - begin, exact.data());
  std::array<Bits, numerics::kMaxArguments> args{};
  std::array<Bits, numerics::kMaxResults> observed{};
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<const Exact> truth(&exact[(i - begin) * per_item], per_item);
    GatherAnswers(of, answers, i, observed);
    oracle::Rule rule = oracle::Rule::kWithinLimit;
    double most = std::nan("");
    for (std::size_t r = 0; r < per_item; ++r) {
      oracle::Outcome outcome;
      if (!judge.QuickAccept(truth[r], observed[r], static_cast<int>(r), &outcome.ulp)) {
        const std::size_t count = GatherOperands(operands, i - begin, args);
        outcome = judge.Item(std::span(args).first(count), truth,
                             std::span(observed).first(per_item), static_cast<int>(r));
      }
      most = Larger(most, outcome.ulp);
      if (oracle::Accepts(rule) && (r == 0 || !oracle::Accepts(outcome.rule))) rule = outcome.rule;
    }
    if (verdicts.conforms != nullptr) verdicts.conforms[i] = oracle::Accepts(rule) ? 1 : 0;
    if (verdicts.rules != nullptr) verdicts.rules[i] = static_cast<std::uint8_t>(rule);
    if (verdicts.ulps != nullptr) verdicts.ulps[i] = most;
  }
}

bool Judge::Answers(std::span<const Column> operands, std::span<const void* const> answers,
                    std::size_t count, const Verdicts& verdicts, const Work& work) const {
  const Operands columns(impl_->function.impl().input_slots, operands);
  return ForChunks(work, count, [&](std::size_t begin, std::size_t end) {
    impl_->Chunk(columns, answers, begin, end, verdicts);
  });
}

std::string_view RuleText(std::uint8_t rule) {
  if (rule >= RuleCount()) return "";
  return oracle::RuleText(static_cast<oracle::Rule>(rule));
}
int RuleCount() { return static_cast<int>(oracle::kLastRule) + 1; }

}  // namespace v1
}  // namespace assay::api
