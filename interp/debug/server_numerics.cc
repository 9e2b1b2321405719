// Errors of numbers for a front end: `ulp`, `error` and `info shadow`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/debug/server.h"

namespace assay::interp {

using frontend::Op;
using frontend::SourceKind;
using frontend::SourceType;
using numerics::Format;

namespace {

constexpr int kDigits = 20;

debug::NumericPlace PlaceOf(const frontend::Module& module, const DebugMarker& place) {
  return {.origin = place.origin,
          .source = DescribeLocation(module.debug_info, module.debug_info.locations[place.origin]),
          .instruction = module.Text(module.instructions[place.origin])};
}

struct Part {
  DebugValue value;
  const std::byte* place = nullptr;
  std::string why;  // it has none
};

// Where a number is that is not in memory as part of its variable; one piece has all of it.
Expected<const std::byte*> HostOf(const DebugScope& scope, const DebugValue& number) {
  if (number.IsMissing()) return Fail(ErrorKind::kUsage, "a number that is optimized out");
  if (number.parts.size() != 1 || number.parts[0].bytes != number.bytes.size()) {
    return Fail(ErrorKind::kUsage,
                "no instruction computed this value: it is a constant, or made of other values");
  }
  const DebugPart& part = number.parts[0];
  if (part.holder) return scope.item.batch->registers + part.holder->offset + part.place;
  const auto host = DebugMemory(*scope.program).Host(scope.item, part.place, part.bytes);
  if (!host) return tl::unexpected(host.error());
  return *host;
}

// The number itself, or the components of a vector, with where each is.
Expected<std::vector<Part>> PartsOf(const DebugScope& scope, const DebugValue& value) {
  const frontend::SourceTypes& types = scope.program->types;
  const SourceType& type = types.At(value.type);
  const bool is_vector = type.kind == SourceKind::kVector;
  const frontend::TypeRef element = is_vector ? type.element : value.type;
  if (types.At(element).kind != SourceKind::kFloat) {
    return Fail(ErrorKind::kUsage,
                fmt::format("of type {}, which is no floating-point number and no vector of them; "
                            "name a member or an element",
                            type.name));
  }
  const std::uint64_t bytes = types.At(element).bytes;
  const std::uint64_t count = is_vector ? type.count : 1;
  const std::byte* memory = nullptr;
  if (value.place == DebugValue::Place::kMemory) {
    const auto host =
        DebugMemory(*scope.program).Host(scope.item, value.address, value.bytes.size());
    if (!host) return tl::unexpected(host.error());
    memory = *host;
  } else if (value.place == DebugValue::Place::kNone) {
    return Fail(ErrorKind::kUsage,
                "the debugger computed this value, and the kernel did not: name a variable, an "
                "element, memory through a pointer, or %ID");
  }
  std::vector<Part> parts;
  for (std::uint64_t i = 0; i < count; ++i) {
    Part part;
    part.value = value.Slice(i * bytes, bytes);
    part.value.type = element;
    part.place = memory != nullptr ? memory + i * bytes : nullptr;
    if (memory == nullptr) {
      const auto place = HostOf(scope, part.value);
      if (!place && !is_vector) return tl::unexpected(place.error());
      if (place) part.place = *place;
      if (!place) part.why = place.error().message;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

Format FormatOf(const Part& part) {
  return interp::FormatOf(FloatKind(static_cast<int>(part.value.bytes.size()) * 8));
}

// The accumulated error, against the shadow; nothing of a number that counts as exact.
std::optional<debug::AccumulatedError> Accumulated(const DebugShadow& shadow,
                                                   const frontend::Module& module,
                                                   const Part& part) {
  const Format format = FormatOf(part);
  const DebugShadowCell* cell = shadow.Find(part.place, part.value.bytes.size());
  if (cell == nullptr) return std::nullopt;
  return debug::AccumulatedError{.shadow = cell->value.Decimal(kDigits),
                                 .ulp = cell->AccumulatedError(),
                                 .kept = cell->value.KeptBits(format, cell->bits),
                                 .precision = numerics::Traits(format).precision,
                                 .place = PlaceOf(module, cell->origin.place)};
}

// The error of one instruction.
Expected<debug::InstructionError> ErrorOfInstruction(const DebugScope& scope,
                                                     const DebugShadow* shadow, const Part& part) {
  const DebugProgram& program = *scope.program;
  const std::uint64_t bytes = part.value.bytes.size();
  Expected<DebugOrigin> origin = DebugOrigin();
  const DebugShadowCell* cell = shadow == nullptr ? nullptr : shadow->Find(part.place, bytes);
  if (cell != nullptr) {
    *origin = cell->origin;
  } else if (shadow != nullptr) {
    return Fail(ErrorKind::kUsage,
                "no instruction computed this value: it is an input, a constant, or bits that "
                "integers made");
  } else {
    origin = FindOrigin(program, scope.item, part.place, bytes);
  }
  if (!origin) return tl::unexpected(origin.error());
  debug::InstructionError error{.exact = origin->exact.Decimal(kDigits),
                                .ulp = origin->exact.ErrorInUlp(FormatOf(part), part.value.Bits()),
                                .place = PlaceOf(program.module, origin->place)};
  const Op opcode = program.module.instructions[origin->place.origin].opcode;
  const bool is_integer = opcode == Op::kConvertSToF || opcode == Op::kConvertUToF;
  for (const std::uint64_t bits : origin->operands) {
    error.operands.push_back(
        is_integer ? fmt::format("{:#x}", bits)
                   : numerics::ShadowNumber::OfFloat(origin->format, bits, 64).Decimal(17));
  }
  return error;
}

// Little at every execution.
bool AddsUp(const DebugLoss& loss) { return loss.worst < 2 && loss.in_chain > loss.worst + 0.5; }

// What an instruction did that lost digits.
std::string Reason(const frontend::Module& module, const DebugMarker& place,
                   const DebugLoss& loss) {
  const Op opcode = module.instructions[place.origin].opcode;
  if (std::isinf(loss.error)) return "overflow";
  // Beyond what a carry does.
  if (loss.cancelled > 1) {
    return opcode == Op::kFSub   ? "subtraction of nearly equal numbers"
           : opcode == Op::kFAdd ? "addition of nearly opposite numbers"
                                 : "addition of a nearly opposite product";
  }
  if (AddsUp(loss)) return "roundings that add up";
  if (loss.own_error > 0.5 || loss.before >= loss.precision) return "rounding";
  return "an error of its operands that it makes larger";
}

}  // namespace

Expected<debug::NumericsAnswer> DebugServer::Reply(const debug::NumericsRequest& request) {
  const auto scope = ScopeOfTarget(request.target);
  if (!scope) return tl::unexpected(scope.error());
  const DebugShadow* shadow = core_.shadow();
  if (request.accumulated && shadow == nullptr) {
    return Fail(ErrorKind::kUsage,
                "no shadows are kept: start the debugger with --shadow; `ulp` tells the error of "
                "the last instruction without it");
  }
  const auto parsed = ParseDebugExpression(request.expression, &core_.program()->types);
  if (!parsed) return tl::unexpected(parsed.error());
  const auto value = DebugEvaluator(*scope).Evaluate(*parsed);
  if (!value) return tl::unexpected(value.error());
  const auto parts = PartsOf(*scope, *value);
  if (!parts) return tl::unexpected(parts.error());
  debug::NumericsAnswer answer{.bits = shadow == nullptr ? 0 : shadow->precision()};
  for (const Part& part : *parts) {
    debug::NumericPart one{.value = FormatValue(*scope->program, part.value)};
    if (!part.why.empty()) {
      one.missing = part.why;
    } else if (request.accumulated) {
      one.accumulated = Accumulated(*shadow, scope->program->module, part);
    } else if (auto error = ErrorOfInstruction(*scope, shadow, part)) {
      one.instruction = std::move(*error);
    } else {
      one.missing = error.error().message;
    }
    // Of a vector some components may have come from elsewhere.
    if (one.missing && parts->size() == 1) return Fail(ErrorKind::kUsage, *one.missing);
    answer.parts.push_back(std::move(one));
  }
  return answer;
}

Expected<debug::ShadowReportAnswer> DebugServer::Reply(const debug::ShadowReportRequest&) {
  const DebugShadow* shadow = core_.shadow();
  if (shadow == nullptr || core_.module() == nullptr) {
    return Fail(ErrorKind::kUsage, "no shadows are kept: start the debugger with --shadow");
  }
  debug::ShadowReportAnswer answer{.bits = shadow->precision(), .operations = shadow->operations()};
  for (const auto& [place, loss] : shadow->Losses()) {
    const bool adds_up = AddsUp(loss);
    answer.losses.push_back({.place = PlaceOf(*core_.module(), place),
                             .executions = loss.executions,
                             .lost = loss.worst,
                             .lost_in_chain = loss.in_chain,
                             .precision = loss.precision,
                             .own_error = loss.own_error,
                             .error = adds_up ? loss.error_in_chain : loss.error,
                             .adds_up = adds_up,
                             .reason = Reason(*core_.module(), place, loss),
                             .decisions = loss.decisions,
                             .otherwise = loss.otherwise,
                             .global_id = adds_up ? loss.chain_global_id : loss.global_id,
                             .time = adds_up ? loss.chain_time : loss.time});
  }
  return answer;
}

}  // namespace assay::interp
