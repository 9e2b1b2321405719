// @integer: the same operations on constants, which compilers compute themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "oracle/checks/integer.h"

namespace assay::oracle {
namespace {

using Operands = std::vector<ElementBits>;

constexpr int kSlot = 8;  // bytes of a lane's result

// One expression with constants; a lane has operands of its own.
struct Expression {
  std::size_t op = 0;
  int width = 1;
  std::vector<Operands> lanes;
};

// Where compilers simplify: neutral and absorbing operands, and what nearly saturates.
Operands SpecialOf(const ElementOp& op, std::size_t number) {
  const ElementType& type = op.in[0];
  const ElementBits top = Truncated(~ElementBits{0}, type) >> (type.is_signed() ? 1 : 0);
  const ElementBits ones = Truncated(~ElementBits{0}, type);
  const Operands specials[] = {{0, ones, 0},    {1, 1, top},        {1, 63, top - 1},
                               {ones, ones, 1}, {top, 1, ones},     {top + 1, ones, top},
                               {0, 0, 0},       {ones, 0, top + 1}, {2, top, 3}};
  Operands operands = number < std::size(specials) ? specials[number] : Operands{};
  operands.resize(number < std::size(specials) ? op.in.size() : 0);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    operands[k] = Truncated(operands[k], op.in[k]);
  }
  return operands;
}

// Operands that the clause has a result for; nothing where none were found.
std::optional<Operands> OperandsFor(const ElementOp& op, int width, std::uint64_t seed,
                                    std::size_t number) {
  constexpr std::uint64_t kTries = 64;
  Operands operands = SpecialOf(op, number);
  for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
    if (!operands.empty() && op.value(operands, width)) return operands;
    operands.clear();
    for (std::size_t k = 0; k < op.in.size(); ++k) {
      operands.push_back(
          RandomElement(op.in[k], CheckHash(seed, number * kTries + attempt, k + 1)));
    }
  }
  return std::nullopt;
}

std::vector<Expression> ExpressionsOf(const std::vector<ElementOp>& ops, int width,
                                      const CheckOptions& options) {
  const std::uint64_t count = options.Of(12, 48, 96);
  std::vector<Expression> expressions;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    Expression expression{.op = op, .width = width, .lanes = {}};
    for (std::size_t number = 0; number < count; ++number) {
      auto operands = OperandsFor(ops[op], width, options.seed, number);
      if (!operands) continue;
      expression.lanes.push_back(std::move(*operands));
      if (expression.lanes.size() < static_cast<std::size_t>(width)) continue;
      expressions.push_back(expression);
      expression.lanes.clear();
    }
  }
  return expressions;
}

std::string Constant(ElementBits bits, const ElementType& type) {
  const char* suffix =
      type.bits < 64 ? (type.is_signed() ? "" : "U") : (type.is_signed() ? "L" : "UL");
  // There is no literal of the least number.
  const ElementBits least = ElementBits{1} << (type.bits - 1);
  if (type.is_signed() && type.bits >= 32 && bits == least) {
    return fmt::format("({}{} - 1)", ElementText(bits + 1, type), suffix);
  }
  return ElementText(bits, type) + suffix;
}

// "long2 a = (long2)(0L, 1L);"
std::string Declaration(const Expression& expression, const ElementOp& op, std::size_t operand) {
  std::vector<std::string> lanes;
  const ElementType& type = op.in[operand];
  for (const Operands& operands : expression.lanes) {
    lanes.push_back(fmt::format("({}){}", type.name, Constant(operands[operand], type)));
  }
  const std::string vector =
      expression.width == 1 ? type.name : fmt::format("{}{}", type.name, expression.width);
  const std::string value = fmt::format("{}", fmt::join(lanes, ", "));
  return fmt::format("{} {} = {};", vector, "abc"[operand],
                     expression.width == 1 ? value : fmt::format("({})({})", vector, value));
}

std::string StatementOf(const Expression& expression, const ElementOp& op, std::size_t place) {
  std::string text = "  { ";
  for (std::size_t k = 0; k < op.in.size(); ++k) text += Declaration(expression, op, k) + " ";
  const std::pair<std::string, std::string> width[] = {
      {"{w}", expression.width == 1 ? "" : fmt::format("{}", expression.width)}};
  const std::string value = Filled(op.text, width);
  const std::string at =
      fmt::format("(global {}*)(out + {})",
                  (expression.width == 1 ? op.scalar_out : op.vector_out).name, place);
  return text + (expression.width == 1
                     ? fmt::format("*({}) = {}; }}\n", at, value)
                     : fmt::format("vstore{}({}, 0, {}); }}\n", expression.width, value, at));
}

std::string InputText(const Expression& expression, const ElementOp& op, std::size_t lane) {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < op.in.size(); ++k) {
    texts.push_back(
        fmt::format("{} = {}", "abc"[k], ElementText(expression.lanes[lane][k], op.in[k])));
  }
  return fmt::format("constants {}, lane {} of width {} of {}", fmt::join(texts, ", "), lane,
                     expression.width, op.text);
}

Expected<void> AskIntegerConstants(CheckRun& run, const std::vector<ElementOp>& ops, int width) {
  const std::vector<Expression> expressions = ExpressionsOf(ops, width, run.options());
  const std::size_t stride = static_cast<std::size_t>(width) * kSlot;
  std::string source = "kernel void ask(global uchar* out) {\n";
  for (std::size_t k = 0; k < expressions.size(); ++k) {
    source += StatementOf(expressions[k], ops[expressions[k].op], k * stride);
  }
  source += "}\n";
  const KernelRequest request{.source = source,
                              .options = run.facts().Standard(),
                              .kernel = "ask",
                              .arguments = {OutputOf(expressions.size() * stride)},
                              .global = {1, 1, 1},
                              .local = {1, 1, 1}};
  const auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  for (std::size_t k = 0; k < expressions.size(); ++k) {
    const ElementOp& op = ops[expressions[k].op];
    const ElementType& out = width == 1 ? op.scalar_out : op.vector_out;
    for (std::size_t lane = 0; lane < expressions[k].lanes.size(); ++lane) {
      const auto expected = op.value(expressions[k].lanes[lane], width);
      ElementBits observed = 0;
      std::memcpy(&observed, (*answers)[0].data() + k * stride + lane * out.bytes(), out.bytes());
      run.Answer(observed == *expected, [&] {
        return CheckSighting{.input = InputText(expressions[k], op, lane),
                             .observed = ElementText(observed, out),
                             .expected = ElementText(*expected, out),
                             .options = fmt::format("--width {}", width)};
      });
    }
  }
  return {};
}

Expected<void> RunIntegerConstants(CheckRun& run, const std::vector<ElementOp>& ops) {
  for (const int width : run.options().widths) {
    // A program of a width takes about as long as one of all kernels.
    const bool asked = width == 1 || width == 3 || run.options().level != Level::kSmoke ||
                       run.options().widths.size() == 1;
    if (!asked) continue;
    if (auto done = AskIntegerConstants(run, ops, width); !done) return done;
  }
  return {};
}

}  // namespace

void AddConstants(const ElementType& type, const std::vector<ElementOp>& ops,
                  std::vector<Check>* checks) {
  std::vector<ElementOp> usable;
  std::string lacks;
  for (const ElementOp& op : ops) {
    if (op.lacks.empty()) usable.push_back(op);
    if (!op.lacks.empty()) lacks = op.lacks;
  }
  checks->push_back({.list = CheckList::kInteger,
                     .name = fmt::format("integer_constants_{}", type.name),
                     .clause = "OpenCL C, Operators; 6.15.3",
                     .lacks = usable.empty() ? lacks : "",
                     .run = [usable](CheckRun& run) { return RunIntegerConstants(run, usable); }});
}

}  // namespace assay::oracle
