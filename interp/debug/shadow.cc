#include "interp/debug/shadow.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/function.h"

namespace assay::interp {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::ScalarType;
using numerics::ShadowNumber;

namespace {

std::uint64_t BitsAt(const std::byte* place, std::uint64_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, place, bytes);
  return bits;
}

// What a comparison says of an order: -1, 0, 1, or 2 where one is NaN; nothing: it is none.
std::optional<bool> Compares(Opcode opcode, int order) {
  using enum Opcode;
  struct Row {
    Opcode opcode;
    bool less, equal, greater, unordered;
  };
  static constexpr Row kRows[] = {{kFOrdEqual, false, true, false, false},
                                  {kFUnordEqual, false, true, false, true},
                                  {kFOrdNotEqual, true, false, true, false},
                                  {kLessOrGreater, true, false, true, false},
                                  {kFUnordNotEqual, true, false, true, true},
                                  {kFOrdLessThan, true, false, false, false},
                                  {kFUnordLessThan, true, false, false, true},
                                  {kFOrdGreaterThan, false, false, true, false},
                                  {kFUnordGreaterThan, false, false, true, true},
                                  {kFOrdLessThanEqual, true, true, false, false},
                                  {kFUnordLessThanEqual, true, true, false, true},
                                  {kFOrdGreaterThanEqual, false, true, true, false},
                                  {kFUnordGreaterThanEqual, false, true, true, true}};
  const auto* const row = std::ranges::find(kRows, opcode, &Row::opcode);
  if (row == std::end(kRows)) return std::nullopt;
  return order == -1  ? row->less
         : order == 0 ? row->equal
         : order == 1 ? row->greater
                      : row->unordered;
}

// log2 of the largest term of a sum; nothing where the operation is none.
std::optional<long> LargestTerm(Function function, std::span<const ShadowNumber> operands) {
  std::optional<long> largest;
  const auto add = [&](std::initializer_list<std::size_t> factors) {
    long exponent = 0;
    for (const std::size_t i : factors) {
      if (!operands[i].IsFinite() || operands[i].IsZero()) return;
      exponent += operands[i].Exponent();
    }
    largest = std::max(largest.value_or(exponent), exponent);
  };
  if (function == Function::add || function == Function::sub) {
    add({0});
    add({1});
  } else if (function == Function::fma || function == Function::mad ||
             function == Function::mul_add) {
    add({0, 1});
    add({2});
  }
  return largest;
}

}  // namespace

struct DebugShadow::Step {
  const DebugProgram& program;
  const DebugItem& item;
  const DebugOperation& operation;
  std::span<const DebugRegister> operands;
  std::span<const DebugRegister> results;
  std::uint64_t time;

  const std::byte* Place(const DebugRegister& one) const {
    return item.batch->registers + one.offset;
  }
  std::uint64_t Bits(const DebugRegister& one) const {
    return BitsAt(Place(one), BytesOf(one.kind));
  }
  Format format() const { return FormatOf(operation.kind); }
  // Of the object that operand 0 points into; null where there is none.
  const std::byte* Memory(std::size_t operand, std::uint64_t bytes) const {
    const Address address =
        *item.batch->Register<std::uint64_t>(operands[operand].offset) + operation.immediate;
    const auto host = DebugMemory(program).Host(item, address, bytes);
    return host ? *host : nullptr;
  }
};

double DebugShadowCell::AccumulatedError() const {
  if (value.IsFinite() && numerics::IsInfinite(format, bits)) return HUGE_VAL;
  return value.ErrorInUlp(format, bits);
}

void DebugShadow::Begin() { registers_.clear(); }

const DebugShadowCell* DebugShadow::Find(const std::byte* place, std::uint64_t bytes) const {
  const Cell* cell = nullptr;
  if (const auto found = registers_.find(place); found != registers_.end()) {
    cell = &found->second;
  } else if (const auto stored = memory_.find(place); stored != memory_.end()) {
    cell = &stored->second;
  }
  if (cell == nullptr || static_cast<std::uint64_t>(Traits(cell->format).width) != bytes * 8 ||
      BitsAt(place, bytes) != cell->bits) {
    return nullptr;
  }
  return cell;
}

ShadowNumber DebugShadow::ShadowOf(const Step& step, std::size_t operand) const {
  const DebugRegister& one = step.operands[operand];
  const Format format = FormatOf(FloatKind(static_cast<int>(BytesOf(one.kind)) * 8));
  const Cell* cell = Find(step.Place(one), BytesOf(one.kind));
  return cell != nullptr ? cell->value : ShadowNumber::OfFloat(format, step.Bits(one), precision_);
}

// --- moves ------------------------------------------------------------------------------------

void DebugShadow::Move(const Step& step, std::size_t operand, std::size_t result) {
  const DebugRegister& from = step.operands[operand];
  const Cell* cell = Find(step.Place(from), BytesOf(from.kind));
  const std::byte* to = step.Place(step.results[result]);
  if (cell == nullptr) {
    registers_.erase(to);
  } else {
    Cell copy = *cell;
    registers_[to] = std::move(copy);
  }
}

// At once: one's result may be another's operand.
void DebugShadow::Moves(const Step& step) {
  std::vector<std::optional<Cell>> cells;
  for (const DebugRegister& from : step.operands) {
    const Cell* cell = Find(step.Place(from), BytesOf(from.kind));
    cells.push_back(cell == nullptr ? std::nullopt : std::optional(*cell));
  }
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const std::byte* to = step.Place(step.results[i]);
    if (cells[i]) {
      registers_[to] = std::move(*cells[i]);
    } else {
      registers_.erase(to);
    }
  }
}

void DebugShadow::Load(const Step& step) {
  const std::uint64_t bytes = BytesOf(step.operation.kind);
  const std::byte* memory = step.Memory(0, bytes * step.results.size());
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const std::byte* to = step.Place(step.results[i]);
    const Cell* cell = memory == nullptr ? nullptr : Find(memory + i * bytes, bytes);
    if (cell == nullptr) {
      registers_.erase(to);
    } else {
      Cell copy = *cell;
      registers_[to] = std::move(copy);
    }
  }
}

void DebugShadow::Forget(const std::byte* place, std::uint64_t bytes) {
  constexpr std::ptrdiff_t kWidest = 8;
  auto at = memory_.lower_bound(place - kWidest + 1);
  while (at != memory_.end() && at->first < place + bytes) {
    const bool overlaps = at->first + Traits(at->second.format).width / 8 > place;
    at = overlaps ? memory_.erase(at) : std::next(at);
  }
}

void DebugShadow::Store(const Step& step) {
  const std::uint64_t bytes = BytesOf(step.operation.kind);
  const std::size_t count = step.operands.size() - 1;
  const std::byte* memory = step.Memory(0, bytes * count);
  if (memory == nullptr) return;
  Forget(memory, bytes * count);
  for (std::size_t i = 0; i < count; ++i) {
    const Cell* cell = Find(step.Place(step.operands[1 + i]), bytes);
    if (cell != nullptr) memory_[memory + i * bytes] = *cell;
  }
}

void DebugShadow::CopyMemory(const Step& step) {
  const std::uint64_t bytes = step.Bits(step.operands[2]);
  const std::byte* target = step.Memory(0, bytes);
  const std::byte* source = step.Memory(1, bytes);
  if (target == nullptr || source == nullptr) return;
  std::vector<std::pair<const std::byte*, Cell>> cells;
  for (auto at = memory_.lower_bound(source); at != memory_.end() && at->first < source + bytes;
       ++at) {
    if (at->first + Traits(at->second.format).width / 8 > source + bytes) continue;
    cells.emplace_back(target + (at->first - source), at->second);
  }
  Forget(target, bytes);
  for (auto& [place, cell] : cells) memory_[place] = std::move(cell);
}

// --- arithmetic -------------------------------------------------------------------------------

DebugLoss& DebugShadow::LossAt(const Step& step) {
  return losses_[{step.operation.origin, step.operation.site}];
}

void DebugShadow::Note(const Step& step, DebugLoss* loss) const {
  loss->time = step.time;
  loss->global_id = step.item.worker->GlobalIdOf(step.item.group, step.item.local);
}

void DebugShadow::Keep(const Step& step, std::size_t result, ShadowNumber value,
                       ShadowNumber exact) {
  const DebugRegister& to = step.results[result];
  Cell cell{.bits = step.Bits(to),
            .format = FormatOf(to.kind),
            .value = std::move(value),
            .origin = {.place = {step.operation.origin, step.operation.site},
                       .exact = std::move(exact),
                       .format = step.format()}};
  for (const DebugRegister& operand : step.operands) {
    cell.origin.operands.push_back(step.Bits(operand));
  }
  registers_[step.Place(to)] = std::move(cell);
}

// What this instruction has lost of an operand that it made itself.
double DebugShadow::ChainBefore(const Step& step) const {
  double most = 0;
  for (const DebugRegister& operand : step.operands) {
    const Cell* cell = Find(step.Place(operand), BytesOf(operand.kind));
    if (cell == nullptr || cell->origin.place.origin != step.operation.origin ||
        cell->origin.place.site != step.operation.site) {
      continue;
    }
    most = std::max(most, cell->lost_in_chain);
  }
  return most;
}

// How many digits the execution cost.
void DebugShadow::Judge(const Step& step, const Operation& operation, Cell* made) {
  const Cell& result = *made;
  DebugLoss& loss = LossAt(step);
  ++loss.executions;
  const double own = result.origin.exact.ErrorInUlp(result.format, result.bits);
  loss.own_error = std::max(loss.own_error, std::isnan(own) ? HUGE_VAL : own);
  double before = Traits(result.format).precision;
  std::vector<ShadowNumber> shadows;
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    shadows.emplace_back();
    if (!IsFloating(types[i])) continue;
    shadows.back() = ShadowOf(step, i);
    const Bits bits = step.Bits(step.operands[i]);
    // Nothing can be kept of a zero that should be one; what is added to it is what counts.
    before = std::min(before, shadows.back().KeptBits(step.format(), bits));
  }
  const double after = result.value.KeptBits(result.format, result.bits);
  made->lost_in_chain = ChainBefore(step) + before - after;
  if (made->lost_in_chain > loss.in_chain) {
    loss.in_chain = made->lost_in_chain;
    loss.error_in_chain = result.AccumulatedError();
    loss.chain_time = step.time;
    loss.chain_global_id = step.item.worker->GlobalIdOf(step.item.group, step.item.local);
  }
  if (before - after <= loss.worst) return;
  loss.worst = before - after;
  loss.before = before;
  loss.after = after;
  loss.error = result.AccumulatedError();
  loss.precision = Traits(result.format).precision;
  const auto largest = LargestTerm(operation.function, shadows);
  const ShadowNumber number = result.value.IsFinite() && !result.value.IsZero()
                                  ? result.value
                                  : ShadowNumber::OfFloat(result.format, result.bits, precision_);
  loss.cancelled = !largest || !number.IsFinite() ? 0
                   : number.IsZero()              ? loss.precision
                                     : static_cast<double>(*largest - number.Exponent());
  Note(step, &loss);
}

void DebugShadow::Compute(const Step& step, const Operation& operation) {
  ++operations_;
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  const std::vector<ScalarType> result_types = operation.ResultTypes();
  std::vector<ShadowNumber> shadows, exact;
  std::vector<Bits> arguments, results;
  bool is_exact = true;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const DebugRegister& one = step.operands[i];
    arguments.push_back(step.Bits(one));
    shadows.emplace_back();
    exact.emplace_back();
    if (!IsFloating(types[i])) continue;
    shadows.back() = ShadowOf(step, i);
    exact.back() = ShadowNumber::OfFloat(operation.format, arguments.back(), precision_);
    is_exact = is_exact && Find(step.Place(one), BytesOf(one.kind)) == nullptr;
  }
  for (const DebugRegister& one : step.results) results.push_back(step.Bits(one));
  // A second result that the program does not use has no register.
  results.resize(result_types.size());
  std::vector<ShadowNumber> values(results.size()), exact_values(results.size());
  EvaluateShadow({operation, precision_, shadows, arguments, results}, values);
  if (is_exact) {
    exact_values = values;
  } else {
    EvaluateShadow({operation, precision_, exact, arguments, results}, exact_values);
  }
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    if (!values[i]) {
      registers_.erase(step.Place(step.results[i]));
      continue;
    }
    Keep(step, i, values[i], exact_values[i]);
    if (i == 0) Judge(step, operation, &registers_[step.Place(step.results[i])]);
  }
}

void DebugShadow::Negate(const Step& step) {
  const Cell* cell = Find(step.Place(step.operands[0]), BytesOf(step.operation.kind));
  if (cell == nullptr) {
    registers_.erase(step.Place(step.results[0]));
    return;
  }
  const ShadowNumber value = cell->value.Negated();
  Keep(step, 0, value,
       ShadowNumber::OfFloat(step.format(), step.Bits(step.results[0]), precision_));
}

// A conversion has its operand's value.
void DebugShadow::ConvertToFloat(const Step& step) {
  ++operations_;
  const DebugOperation& operation = step.operation;
  const std::uint64_t bits = step.Bits(step.operands[0]);
  ShadowNumber value;
  ShadowNumber exact;
  if (IsFloat(operation.from)) {
    value = ShadowOf(step, 0);
    exact = ShadowNumber::OfFloat(FormatOf(operation.from), bits, precision_);
  } else {
    const bool is_signed = operation.opcode == Opcode::kConvertSToF ||
                           (operation.opcode == Opcode::kConvertExactly &&
                            IsSigned(DecodeConversion(operation.immediate).from));
    value = exact =
        ShadowNumber::OfInteger(IntegerTypeOf(operation.from, is_signed), bits, precision_);
  }
  Keep(step, 0, value, exact);
  Cell& cell = registers_[step.Place(step.results[0])];
  if (IsFloat(operation.from)) cell.origin.format = FormatOf(operation.from);
  DebugLoss& loss = LossAt(step);
  ++loss.executions;
  const double own = exact.ErrorInUlp(cell.format, cell.bits);
  loss.own_error = std::max(loss.own_error, std::isnan(own) ? HUGE_VAL : own);
  // What a narrower format cannot hold is meant to be dropped; only what is lost of it counts.
  const double before =
      std::min<double>(Traits(cell.format).precision,
                       IsFloat(operation.from) ? value.KeptBits(FormatOf(operation.from), bits)
                                               : Traits(cell.format).precision);
  const double after = value.KeptBits(cell.format, cell.bits);
  if (before - after <= loss.worst) return;
  loss.worst = before - after;
  loss.before = before;
  loss.after = after;
  loss.precision = Traits(cell.format).precision;
  loss.error = cell.AccumulatedError();
  Note(step, &loss);
}

// A comparison or a conversion to integers, which the exact values may have made otherwise.
void DebugShadow::Decide(const Step& step) {
  const Opcode opcode = step.operation.opcode;
  bool otherwise = false;
  if (opcode == Opcode::kConvertFToS || opcode == Opcode::kConvertFToU) {
    const DebugRegister& from = step.operands[0];
    if (Find(step.Place(from), BytesOf(from.kind)) == nullptr) return;
    const DebugRegister& to = step.results[0];
    const ShadowNumber integer = ShadowNumber::OfInteger(
        IntegerTypeOf(to.kind, opcode == Opcode::kConvertFToS), step.Bits(to), precision_);
    otherwise = !ShadowOf(step, 0).TruncatesTo(integer);
  } else {
    const int order = ShadowOf(step, 0).Compare(ShadowOf(step, 1));
    const auto decided = Compares(opcode, order);
    if (!decided) return;
    otherwise = *decided != (step.Bits(step.results[0]) != 0);
  }
  DebugLoss& loss = LossAt(step);
  ++loss.executions;
  ++loss.decisions;
  if (otherwise && loss.otherwise++ == 0) Note(step, &loss);
}

void DebugShadow::Computed(const DebugProgram& program, const DebugItem& item,
                           std::uint32_t operation, std::uint64_t time) {
  const DebugTable& table = *program.program.debug;
  const DebugOperation& done = table.operations[operation];
  const Step step{program, item, done, table.OperandsOf(done), table.ResultsOf(done), time};
  if (const auto builtin = BuiltinOf(program.program, done)) return Compute(step, *builtin);
  using enum Opcode;
  const auto is = [&](auto... opcodes) { return ((done.opcode == opcodes) || ...); };
  if (is(kCopy, kFreeze)) return Moves(step);
  if (is(kSelect)) return Move(step, step.Bits(step.operands[0]) != 0 ? 1 : 2, 0);
  if (is(kExtractDynamic)) {
    const std::uint64_t last = step.operands.size() - 2;
    return Move(step, 1 + std::min<std::uint64_t>(step.Bits(step.operands[0]), last), 0);
  }
  if (is(kInsertDynamic)) {
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      Move(step, step.Bits(step.operands[0]) == i ? 1 : 2 + i, i);
    }
    return;
  }
  if (is(kLoad, kLoadMany)) return Load(step);
  if (is(kStore, kStoreMany)) return Store(step);
  if (is(kCopyMemory)) return CopyMemory(step);
  if (is(kFNegate)) return Negate(step);
  if (is(kConvertSToF, kConvertUToF, kFConvert)) return ConvertToFloat(step);
  if (is(kConvertExactly)) {
    if (IsFloat(done.kind)) ConvertToFloat(step);
    return;
  }
  if (is(kConvertFToS, kConvertFToU)) return Decide(step);
  if (IsFloat(done.kind) && step.operands.size() == 2 && Compares(done.opcode, 0)) {
    return Decide(step);
  }
  for (const DebugRegister& result : step.results) registers_.erase(step.Place(result));
}

std::vector<std::pair<DebugMarker, DebugLoss>> DebugShadow::Losses() const {
  std::vector<std::pair<DebugMarker, DebugLoss>> list;
  const auto lost = [](const DebugLoss& loss) { return std::max(loss.worst, loss.in_chain); };
  for (const auto& [place, loss] : losses_) {
    // What two roundings make of a product is no news.
    if (lost(loss) < 1 && loss.otherwise == 0) continue;
    list.emplace_back(DebugMarker{place.first, place.second}, loss);
  }
  std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
    return std::pair(lost(a.second), a.second.worst) > std::pair(lost(b.second), b.second.worst);
  });
  return list;
}

}  // namespace assay::interp
