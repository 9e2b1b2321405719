#include "oracle/inputs/inputs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "numerics/hard_cases.h"
#include "oracle/inputs/boundaries.h"
#include "oracle/inputs/random.h"
#include "oracle/inputs/values.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ScalarType;
using numerics::Slot;
using numerics::Traits;

// A run of items with one reason.
struct Section {
  enum class Kind : std::uint8_t {
    kList,        // `tuples`, flattened
    kProduct,     // every combination of `choices`, the last operand fastest
    kExponents,   // `firsts`, the other operands drawn
    kRandom,      // drawn
    kEverything,  // the item number is the operands' bits, the first operand in the highest ones;
                  // in a range their places in it
  };
  Kind kind = Kind::kRandom;
  std::string_view reason;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::vector<Bits> tuples{};
  std::vector<std::vector<Bits>> choices{};
  std::vector<Bits> firsts{};
};

// How much of each kind a level asks for.
struct Budget {
  std::uint64_t random = 0;
  int grid = 0;  // points of the search for boundaries, and most changes
  std::size_t boundaries = 0;
  int significands = 0;              // per exponent and sign
  int exponent_stride = 1;           // every n-th exponent
  std::uint64_t exhaustive = 0;      // the largest operand space to enumerate
  std::array<Breadth, 3> breadth{};  // by number of operands
  std::uint64_t drawn_specials = 0;  // tuples of specials where all combinations are too many
};

// The reference costs about 10 us an item where MPFR has to answer (double; functions of several
// operands), and far less on the fast path: the defaults keep one operation near one second.
std::uint64_t StandardSamples(const Operation& operation) {
  if (operation.kind != OperationKind::kBuiltin) return 1 << 14;
  const bool is_double = operation.format == Format::kDouble;
  if (operation.ArgumentCount() > 3) return is_double ? 1 << 14 : 1 << 15;
  if (operation.ArgumentCount() > 1) return is_double ? 1 << 16 : 1 << 18;
  return is_double ? 1 << 17 : 1 << 20;
}

Budget BudgetOf(const Operation& operation, const InputOptions& options) {
  Budget budget;
  const bool is_double = operation.ArgumentTypes()[0] == ScalarType::kDouble;
  switch (options.level) {
    case Level::kSmoke:
      budget = {.random = 1 << 11,
                .grid = 256,
                .boundaries = 24,
                .significands = 1,
                .exponent_stride = is_double ? 8 : 1,
                .exhaustive = 1 << 12,
                .breadth = {Breadth::kMany, Breadth::kSome, Breadth::kFew},
                .drawn_specials = 512};
      if (operation.ArgumentCount() > 1) budget.grid = 24;
      if (operation.ArgumentCount() > 2) budget.grid = 0;
      break;
    case Level::kStandard:
    case Level::kExhaustive:
      budget = {.random = StandardSamples(operation),
                .grid = 4096,
                .boundaries = 64,
                .significands = is_double ? 4 : 8,
                .exponent_stride = 1,
                .exhaustive = 1 << 16,
                .breadth = {Breadth::kNeighbours, Breadth::kMany, Breadth::kSome},
                .drawn_specials = 1 << 13};
      if (operation.ArgumentCount() > 1) budget.grid = 64;
      break;
  }
  if (options.level == Level::kExhaustive) {
    budget.random *= 16;
    budget.exhaustive = std::uint64_t{1} << 32;
  }
  if (options.samples != 0) budget.random = options.samples;
  return budget;
}

// How many values the operands have together; 2^64 - 1 where that is more.
std::uint64_t SpaceOf(const std::vector<ScalarType>& types,
                      const std::optional<NumberRange>& range) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t space = 1;
  for (ScalarType type : types) {
    std::uint64_t values = numerics::WidthMask(type);
    if (values != kMost) ++values;
    if (range && IsFloating(type)) values = range->Count();
    space = space > kMost / values ? kMost : space * values;
  }
  return space;
}

// Items drawn before they are written, so that each column is written in one loop of its type.
constexpr std::size_t kBlock = 64;

template <typename Element>
void StoreElements(const Column& column, std::size_t first, std::span<const Arguments> block,
                   std::size_t argument) {
  const auto components = static_cast<std::size_t>(column.slot.components);
  auto* out = static_cast<Element*>(column.data) + first * components;
  for (const Arguments& args : block) {
    for (std::size_t c = 0; c < components; ++c) *out++ = static_cast<Element>(args[argument + c]);
  }
}

void StoreBlock(const Column& column, std::size_t first, std::span<const Arguments> block,
                std::size_t argument) {
  switch (numerics::WidthOf(column.slot.type)) {
    case 8:
      return StoreElements<std::uint8_t>(column, first, block, argument);
    case 16:
      return StoreElements<std::uint16_t>(column, first, block, argument);
    case 32:
      return StoreElements<std::uint32_t>(column, first, block, argument);
    default:
      return StoreElements<std::uint64_t>(column, first, block, argument);
  }
}

// Operands of the tables of hard cases; a few of the hardest at level smoke.
std::vector<Bits> HardTuples(const Operation& operation, Level level) {
  constexpr std::size_t kSmokeCases = 8;  // of each kind
  if (level != Level::kSmoke) return numerics::HardCases(operation.function, operation.format);
  std::vector<Bits> tuples;
  std::array<std::size_t, 2> taken{};
  const auto arity = static_cast<std::size_t>(operation.ArgumentCount());
  for (const numerics::HardCase& hard :
       numerics::HardCaseRows(operation.function, operation.format)) {
    if (hard.is_flat || taken[static_cast<std::size_t>(hard.kind)]++ >= kSmokeCases) continue;
    tuples.insert(tuples.end(), hard.args.begin(),
                  hard.args.begin() + static_cast<std::ptrdiff_t>(arity));
  }
  return tuples;
}

}  // namespace

struct InputPlan::Impl {
  Impl(const Operation& operation, const InputOptions& options)
      : types(operation.ArgumentTypes()),
        range(NumberRangeOf(operation, options)),
        random(operation, options.seed, range) {
    if (!options.given.empty()) {
      AppendTuples("given", Fitting(options.given));
      return;
    }
    const Budget budget = BudgetOf(operation, options);
    const std::uint64_t space = SpaceOf(types, range);
    if (options.enumerates && space <= budget.exhaustive) {
      exhaustive = true;
      Section everything{.kind = Section::Kind::kEverything, .reason = "exhaustive"};
      everything.count = space;
      Append(std::move(everything));
      return;
    }
    AppendTuples("known worst", Fitting(options.known_worst));
    if (operation.kind == OperationKind::kBuiltin) {
      AppendTuples("hard case", HardTuples(operation, options.level));
    }
    AppendSpecials(operation, budget);
    AppendBoundaries(operation, options, budget);
    AppendExponents(operation, budget);
    Section drawn{.kind = Section::Kind::kRandom, .reason = "random"};
    drawn.count = budget.random;
    Append(std::move(drawn));
  }

  void Append(Section section) {
    if (section.count == 0) return;
    section.begin = count;
    count += section.count;
    sections.push_back(std::move(section));
  }

  void AppendTuples(std::string_view reason, std::vector<Bits> tuples) {
    Section section{.kind = Section::Kind::kList, .reason = reason};
    if (range) tuples = InRange(tuples);
    section.count = tuples.size() / types.size();
    section.tuples = std::move(tuples);
    Append(std::move(section));
  }

  void AppendProduct(std::string_view reason, std::vector<std::vector<Bits>> choices) {
    Section section{.kind = Section::Kind::kProduct, .reason = reason};
    section.count = 1;
    for (const std::vector<Bits>& choice : choices) section.count *= choice.size();
    section.choices = std::move(choices);
    Append(std::move(section));
  }

  bool IsInRange(std::size_t operand, Bits bits) const {
    return !range || !IsFloating(types[operand]) || range->Contains(bits);
  }

  // The tuples whose operands all are.
  std::vector<Bits> InRange(const std::vector<Bits>& tuples) const {
    std::vector<Bits> kept;
    for (std::size_t first = 0; first < tuples.size(); first += types.size()) {
      const std::span<const Bits> tuple = std::span(tuples).subspan(first, types.size());
      std::size_t operand = 0;
      while (operand < tuple.size() && IsInRange(operand, tuple[operand])) ++operand;
      if (operand == tuple.size()) kept.insert(kept.end(), tuple.begin(), tuple.end());
    }
    return kept;
  }

  // Results of another shape (other components) say nothing here and are left out.
  std::vector<Bits> Fitting(const std::vector<std::vector<Bits>>& items) const {
    std::vector<Bits> tuples;
    for (const std::vector<Bits>& item : items) {
      if (item.size() != types.size()) continue;
      for (std::size_t i = 0; i < item.size(); ++i) {
        tuples.push_back(item[i] & numerics::WidthMask(types[i]));
      }
    }
    return tuples;
  }

  // Of those in a range, and at and beside its ends.
  std::vector<Bits> Specials(const Operation& operation, ScalarType type, Breadth breadth) const {
    const bool exponent = operation.kind == OperationKind::kBuiltin && type == ScalarType::kInt;
    if (exponent) return SpecialExponents(operation.format, breadth);
    std::vector<Bits> values = SpecialValues(type, breadth);
    if (!range || !IsFloating(type)) return values;
    const Format format = FormatOf(type);
    const std::int64_t beside = range->Steps() > 2 ? 1 : 0;
    for (const std::int64_t index :
         {range->low(), range->low() + beside, range->high() - beside, range->high()}) {
      values.push_back(numerics::FromOrderedIndex(format, index));
    }
    std::erase_if(values, [&](Bits bits) { return !range->Contains(bits); });
    std::ranges::sort(values);
    const auto [first, last] = std::ranges::unique(values);
    values.erase(first, last);
    return values;
  }

  void AppendSpecials(const Operation& operation, const Budget& budget) {
    const std::size_t arity = types.size();
    if (arity <= 3) {
      std::vector<std::vector<Bits>> choices;
      for (ScalarType type : types) {
        choices.push_back(Specials(operation, type, budget.breadth[arity - 1]));
      }
      AppendProduct("special", std::move(choices));
      return;
    }
    // Vectors: the combinations are too many.  Each value in every component, and alone beside
    // zeros: vectors of length zero, along an axis and at the limits are among them; then a sample.
    std::vector<Bits> tuples;
    const std::vector<Bits> values = Specials(operation, types[0], Breadth::kSome);
    for (const Bits value : values) {
      tuples.insert(tuples.end(), arity, value);
      for (std::size_t place = 0; place < arity; ++place) {
        tuples.insert(tuples.end(), arity, 0);
        tuples[tuples.size() - arity + place] = value;
      }
    }
    const std::uint64_t key = StreamKey(operation, 0);
    for (std::uint64_t item = 0; item < budget.drawn_specials; ++item) {
      ItemStream stream(key, item);
      for (std::size_t i = 0; i < arity; ++i) {
        tuples.push_back(values[stream.Below(values.size())]);
      }
    }
    AppendTuples("special", std::move(tuples));
  }

  void AppendBoundaries(const Operation& operation, const InputOptions& options,
                        const Budget& budget) {
    if (operation.kind != OperationKind::kBuiltin) {
      AppendTuples("boundary", ConversionValues(operation.from, operation.to));
      return;
    }
    const bool unary = types.size() == 1 && IsFloating(types[0]);
    if (unary && options.level != Level::kSmoke) {
      AppendTuples("boundary", FamilyValues(operation.function, operation.format));
    }
    if (budget.grid > 0) {
      const std::size_t most = budget.boundaries * types.size() * types.size();
      AppendTuples("boundary", FindBoundaries(operation, budget.grid, most, range));
    }
  }

  // Every exponent of the first operand, subnormal ones by their leading bit, both signs.
  void AppendExponents(const Operation& operation, const Budget& budget) {
    if (!IsFloating(types[0])) return;
    const Format format = FormatOf(types[0]);
    const std::uint64_t key = StreamKey(operation, 0);
    Section section{.kind = Section::Kind::kExponents, .reason = "exponent"};
    const auto add = [&](Bits lead, Bits mask) {
      for (Bits sign : {Bits{0}, numerics::SignMask(format)}) {
        for (int k = 0; k < budget.significands; ++k) {
          ItemStream stream(key, section.firsts.size());
          const bool one_only = budget.significands == 1;
          const Bits mantissa = k == 0 && !one_only ? 0 : k == 1 ? mask : stream.Next() & mask;
          section.firsts.push_back(sign | lead | mantissa);
        }
      }
    };
    const int mantissa_bits = Traits(format).mantissa_bits();
    for (int k = 0; k < mantissa_bits; k += budget.exponent_stride) {
      add(Bits{1} << k, (Bits{1} << k) - 1);
    }
    const Bits exponents = numerics::Infinity(format) >> mantissa_bits;
    for (Bits e = 1; e < exponents; e += static_cast<Bits>(budget.exponent_stride)) {
      add(e << mantissa_bits, numerics::MantissaMask(format));
    }
    std::erase_if(section.firsts, [&](Bits first) { return !IsInRange(0, first); });
    section.count = section.firsts.size();
    Append(std::move(section));
  }

  const Section& SectionOf(std::uint64_t item) const {
    const auto after = std::upper_bound(
        sections.begin(), sections.end(), item,
        [](std::uint64_t value, const Section& section) { return value < section.begin; });
    return *std::prev(after);
  }

  // One item of a section, `offset` from its beginning.
  void Item(const Section& section, std::uint64_t offset, Arguments& args) const {
    switch (section.kind) {
      case Section::Kind::kList:
        for (std::size_t i = 0; i < types.size(); ++i) {
          args[i] = section.tuples[offset * types.size() + i];
        }
        return;
      case Section::Kind::kProduct:
        for (std::size_t i = types.size(); i-- > 0;) {
          const std::vector<Bits>& choice = section.choices[i];
          args[i] = choice[offset % choice.size()];
          offset /= choice.size();
        }
        return;
      case Section::Kind::kExponents:
        random.DrawAtExponent(offset, section.firsts[offset], args);
        return;
      case Section::Kind::kRandom:
        random.Draw(offset, args);
        return;
      case Section::Kind::kEverything:
        for (std::size_t i = types.size(); i-- > 0;) {
          if (range && IsFloating(types[i])) {
            args[i] = range->At(offset % range->Count());
            offset /= range->Count();
            continue;
          }
          args[i] = offset & numerics::WidthMask(types[i]);
          offset = numerics::WidthOf(types[i]) == 64 ? 0 : offset >> numerics::WidthOf(types[i]);
        }
        return;
    }
  }

  // Consecutive bit patterns of one operand: the loop of the exhaustive sweeps.
  template <typename Element>
  static void Count(std::uint64_t first, std::size_t count, void* data) {
    auto* out = static_cast<Element*>(data);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Element>(first + i);
  }

  bool FillCounting(std::uint64_t begin, std::size_t count, std::span<const Column> columns) const {
    if (!exhaustive || types.size() != 1 || range) return false;
    switch (numerics::WidthOf(types[0])) {
      case 8:
        Count<std::uint8_t>(begin, count, columns[0].data);
        return true;
      case 16:
        Count<std::uint16_t>(begin, count, columns[0].data);
        return true;
      default:
        Count<std::uint32_t>(begin, count, columns[0].data);
        return true;
    }
  }

  std::vector<ScalarType> types;  // per scalar argument
  std::optional<NumberRange> range;
  RandomArguments random;
  std::vector<Section> sections;
  std::uint64_t count = 0;
  bool exhaustive = false;
};

std::optional<NumberRange> NumberRangeOf(const Operation& operation, const InputOptions& options) {
  const std::optional<Format> format = OperandFormat(operation);
  if (!options.range || !format) return std::nullopt;
  return NumberRange::Of(*format, *options.range).value();
}

InputPlan::InputPlan(const Operation& operation, const InputOptions& options)
    : impl_(std::make_unique<Impl>(operation, options)) {}
InputPlan::~InputPlan() = default;
InputPlan::InputPlan(InputPlan&&) noexcept = default;

std::uint64_t InputPlan::Count() const { return impl_->count; }
bool InputPlan::IsExhaustive() const { return impl_->exhaustive; }

void InputPlan::Fill(std::uint64_t begin, std::size_t count,
                     std::span<const Column> columns) const {
  if (count == 0 || impl_->FillCounting(begin, count, columns)) return;
  std::array<Arguments, kBlock> block;
  const Section* section = &impl_->SectionOf(begin);
  for (std::size_t done = 0; done < count; done += kBlock) {
    const std::size_t items = std::min(kBlock, count - done);
    for (std::size_t i = 0; i < items; ++i) {
      const std::uint64_t item = begin + done + i;
      if (item - section->begin >= section->count) section = &impl_->SectionOf(item);
      impl_->Item(*section, item - section->begin, block[i]);
    }
    std::size_t argument = 0;
    for (const Column& column : columns) {
      StoreBlock(column, done, {block.data(), items}, argument);
      argument += static_cast<std::size_t>(column.slot.components);
    }
  }
}

std::string InputPlan::ReasonOf(std::uint64_t item) const {
  return std::string(impl_->SectionOf(item).reason);
}

}  // namespace assay::oracle
