#include "tools/hunt/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::tools {
namespace {

template <typename T>
void Shuffle(std::vector<T>* items, HuntRandom* random) {
  for (std::size_t i = items->size(); i > 1; --i)
    std::swap((*items)[i - 1], (*items)[random->Below(i)]);
}

bool Has(const std::vector<HuntKind>& kinds, HuntKind kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::uint64_t Mix(std::uint64_t seed, std::uint64_t number) {
  HuntRandom random{seed ^ (number * 0xd1342543de82ef95u)};
  return random.Next();
}

numerics::Format FormatOf(HuntBase base) {
  return base == HuntBase::kHalf    ? numerics::Format::kHalf
         : base == HuntBase::kFloat ? numerics::Format::kFloat
                                    : numerics::Format::kDouble;
}

// One operation whose turn it is: alone, or as what a branch or a loop computes.
void AddRoot(HuntGenerator* to, std::size_t operation, HuntType type, bool with_control) {
  const HuntOperation& row = HuntOperations()[operation];
  HuntRandom& random = to->random();
  if (row.is_root || !with_control || !random.Chance(4)) {
    HuntExpr root = to->Root(operation, type);
    if (row.is_root || random.Chance(2)) return to->Output(std::move(root));
    const std::string name = to->Declare(type, std::move(root));
    return to->Output(HuntGenerator::Raw(type, name));
  }
  const std::string name = to->Declare(type, to->Leaf(type));
  if (random.Chance(2)) {
    to->Begin("if ($0)", {to->Condition()}, "if");
    to->Line(name + " = $0;", {to->Root(operation, type)});
    if (random.Chance(2)) {
      to->Else();
      to->Line(name + " = $0;", {to->Expr(type, 1)});
    }
  } else {
    const std::string k = to->NewName("k");
    to->Begin(fmt::format("for (uint {0} = 0; {0} < $0; ++{0})", k), {to->Small(4)}, "for");
    to->Line(name + " = $0;", {to->Root(operation, type)});
    if (random.Chance(2)) to->Line("if ($0) break;", {to->Condition()}, "break");
  }
  to->End();
  to->Output(HuntGenerator::Raw(type, name));
}

}  // namespace

std::vector<const HuntFeature*> HuntFeatures() {
  std::vector<const HuntFeature*> all;
  for (const auto features : {ControlFeatures(), MemoryFeatures(), GroupFeatures(),
                              AtomicFeatures(), HalfFeatures(), ImageFeatures(), PipeFeatures()}) {
    for (const HuntFeature& feature : features) all.push_back(&feature);
  }
  return all;
}

HuntPlan PlanOf(const HuntDevice& device, const std::vector<HuntKind>& kinds, std::uint64_t seed) {
  HuntPlan plan;
  HuntRandom random{seed};
  std::vector<std::vector<std::pair<std::size_t, HuntType>>> rows;
  const auto operations = HuntOperations();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!Has(kinds, operations[i].kind)) continue;
    std::vector<std::pair<std::size_t, HuntType>> row;
    for (const HuntType type : TypesOf(operations[i], device)) row.emplace_back(i, type);
    Shuffle(&row, &random);
    if (!row.empty()) rows.push_back(std::move(row));
  }
  std::size_t most = 0;
  for (const auto& row : rows) most = std::max(most, row.size());
  for (std::size_t turn = 0; turn < most; ++turn) {
    Shuffle(&rows, &random);
    for (const auto& row : rows) {
      if (turn < row.size()) plan.roots.push_back(row[turn]);
    }
  }
  for (const HuntFeature* feature : HuntFeatures()) {
    if (!Has(kinds, feature->kind)) continue;
    if (feature->is_there == nullptr || feature->is_there(device)) plan.features.push_back(feature);
  }
  Shuffle(&plan.features, &random);
  return plan;
}

HuntProgram GenerateProgram(const HuntDevice& device, const HuntPlan& plan, std::uint64_t seed,
                            std::uint64_t number, std::uint32_t items) {
  HuntGenerator to(device, plan, Mix(seed, number), items);
  struct Piece {
    bool is_feature;
    std::size_t place;
  };
  std::vector<Piece> pieces;
  for (std::uint64_t k = 0; k < kRootsOfProgram && !plan.roots.empty(); ++k) {
    pieces.push_back({false, (number * kRootsOfProgram + k) % plan.roots.size()});
  }
  for (std::uint64_t k = 0; k < kFeaturesOfProgram && !plan.features.empty(); ++k) {
    pieces.push_back({true, (number * kFeaturesOfProgram + k) % plan.features.size()});
  }
  Shuffle(&pieces, &to.random());
  const bool with_control = std::ranges::any_of(
      plan.features, [](const HuntFeature* one) { return one->kind == HuntKind::kControl; });
  for (const Piece& piece : pieces) {
    if (piece.is_feature) {
      plan.features[piece.place]->add(to);
    } else {
      AddRoot(&to, plan.roots[piece.place].first, plan.roots[piece.place].second, with_control);
    }
  }
  return to.Finish();
}

HuntGenerator::HuntGenerator(const HuntDevice& device, const HuntPlan& plan, std::uint64_t seed,
                             std::uint32_t items)
    : device_(device), random_{seed} {
  program_.seed = seed;
  program_.items = items;
  // The operations in operands: a random half of all that there are (swarm testing, Groce et al.,
  // ISSTA 2012).
  std::vector<bool> is_known(HuntOperations().size(), false);
  for (const auto& [operation, type] : plan.roots) is_known[operation] = true;
  for (std::size_t i = 0; i < is_known.size(); ++i) {
    const HuntOperation& row = HuntOperations()[i];
    if (is_known[i] && !row.is_root && random_.Chance(2)) operations_.push_back(&row);
  }
}

std::string HuntGenerator::NewName(std::string_view prefix) {
  return fmt::format("{}{}", prefix, names_++);
}

HuntExpr HuntGenerator::Raw(HuntType type, std::string form, std::vector<HuntExpr> kids,
                            std::string cause) {
  return {type, std::move(form), std::move(kids), std::move(cause)};
}

HuntExpr HuntGenerator::Load(HuntType type) {
  const std::string from = fmt::format("in_{}", NameOf(type.base));
  const std::uint64_t offset = random_.Chance(2) ? 0 : random_.Below(64);
  const std::string more = offset == 0 ? "" : fmt::format(" + {}", offset);
  if (type.width == 1) return Raw(type, fmt::format("{}[i{}]", from, more));
  return Raw(type, fmt::format("vload{}(i, {}{})", type.width, from, more));
}

HuntExpr HuntGenerator::Leaf(HuntType type) {
  std::vector<std::string> names;
  for (const auto& [name, of] : scope_) {
    if (of == type) names.push_back(name);
  }
  if (!names.empty() && (random_.Chance(3) || !reads_buffers)) {
    return Raw(type, names[random_.Below(names.size())]);
  }
  if (reads_buffers && !random_.Chance(6)) return Load(type);
  if (!IsInteger(type.base)) {
    return HuntConstant(type, static_cast<std::int64_t>(random_.Below(129)) - 64);
  }
  const std::uint64_t bits = random_.Next() >> random_.Below(64);
  return HuntConstant(type, static_cast<std::int64_t>(random_.Chance(4) ? ~bits : bits));
}

HuntExpr HuntGenerator::Expr(HuntType type, int depth) {
  if (depth <= 0 || operations_.empty()) return Leaf(type);
  for (int tries = 0; tries < 12; ++tries) {
    const HuntOperation& row = *operations_[random_.Below(operations_.size())];
    if (!Takes(row, type) || (row.needs_2 && !device_.IsAtLeast2())) continue;
    if (!device_.has_doubles && row.operands.find_first_of("Fy") != std::string_view::npos &&
        type.base == HuntBase::kLong) {
      continue;
    }
    return WithInput(Instance(row, type, device_, &random_, [&](HuntType of, HuntOperand operand) {
      return Operand(of, operand, depth - 1, false);
    }));
  }
  return Leaf(type);
}

HuntExpr HuntGenerator::Root(std::size_t operation, HuntType type) {
  const HuntOperation& row = HuntOperations()[operation];
  return WithInput(Instance(row, type, device_, &random_, [&](HuntType of, HuntOperand operand) {
    const int depth = random_.Chance(3) ? 1 + static_cast<int>(random_.Below(2)) : 0;
    return Operand(of, operand, depth, row.is_judged);
  }));
}

HuntExpr HuntGenerator::Operand(HuntType type, HuntOperand operand, int depth, bool is_judged) {
  if (!reads_buffers) return Expr(type, operand == HuntOperand::kPlain ? depth : 0);
  const numerics::Format format = FormatOf(type.base);
  const numerics::Bits fraction = numerics::MantissaMask(format), one = numerics::One(format);
  switch (operand) {
    case HuntOperand::kPlain:
      return Expr(type, depth);
    case HuntOperand::kSpecial:
      return Special(type, is_judged || device_.KeepsSubnormals(type.base));
    case HuntOperand::kExponent:
      return random_.Chance(3)
                 ? Leaf(type)
                 : Raw(type, fmt::format("($0 >> {})", random_.Chance(2) ? 24 : 28), {Leaf(type)});
    case HuntOperand::kWeight:
      return Raw(type, fmt::format("($0 - ({})1.0f)", NameOf(type)), {Bits(type, fraction, one)});
    case HuntOperand::kPositive:
      return Bits(type, fraction, one);
    case HuntOperand::kNegative:
      return Bits(type, fraction, one | numerics::SignMask(format));
  }
  return Leaf(type);
}

// A number by its bits: some of random ones, and some that are set.
HuntExpr HuntGenerator::Bits(HuntType type, numerics::Bits kept, numerics::Bits set) {
  const HuntType bits{UnsignedOf(type.base), type.width};
  const auto constant = [&](numerics::Bits value) {
    return PrintExpr(HuntConstant(bits, static_cast<std::int64_t>(value)));
  };
  // Scalars of less than an int are promoted, so there is a cast.
  return Raw(type,
             fmt::format("as_{}(({})(($0 & {}) | {}))", NameOf(type), NameOf(bits), constant(kept),
                         constant(set)),
             {Load(bits)});
}

// A number that is no ordinary one.
HuntExpr HuntGenerator::Special(HuntType type, bool may_be_subnormal) {
  if (type.base == HuntBase::kDouble && !device_.has_longs) return Load(type);
  const numerics::Format format = FormatOf(type.base);
  const numerics::Bits sign = numerics::SignMask(format), infinity = numerics::Infinity(format);
  const numerics::Bits fraction = numerics::MantissaMask(format), all = ~numerics::Bits{0};
  switch (random_.Below(10)) {
    case 0:
      return Bits(type, sign, 0);  // zeros
    case 1:
      return Bits(type, sign | ((fraction + 1) >> 1), infinity);  // infinities and NaN
    case 2:
      return Bits(type, sign | infinity, 0);  // powers of two, zeros, infinities
    case 3:
      return may_be_subnormal ? Bits(type, sign | fraction, 0) : Load(type);
    case 4:
      return Bits(type, all, may_be_subnormal ? 0 : fraction + 1);
    case 5:
      return Bits(type, sign | fraction, numerics::One(format));  // from 1 to 2
    case 6:
      if (type.base == HuntBase::kHalf) return Load(type);
      return Raw(type, fmt::format("($0 * ({})0.001f)", NameOf(HuntType{type.base, 1})),
                 {Load(type)});
    case 7:
      return Expr(type, 1);
    default:
      return Load(type);
  }
}

// What compilers know, they compute themselves.
HuntExpr HuntGenerator::WithInput(HuntExpr expr) {
  const bool is_known = std::ranges::all_of(expr.kids, &HuntExpr::is_constant);
  if (is_known && reads_buffers && !expr.kids.empty()) expr.kids[0] = Load(expr.kids[0].type);
  return expr;
}

HuntExpr HuntGenerator::Condition() {
  constexpr HuntType kInt{HuntBase::kInt, 1};
  switch (random_.Below(4)) {
    case 0:
      return Raw(kInt, "($0 & 1)", {Leaf(kInt)});
    case 1:
      return Raw(kInt, "($0 > $1)", {Leaf(kInt), Leaf(kInt)});
    case 2:
      return Raw(kInt, "($0 % 3u == 0)", {Leaf({HuntBase::kUint, 1})});
    default:
      return Expr(kInt, 1);
  }
}

HuntExpr HuntGenerator::Small(std::uint32_t below) {
  constexpr HuntType kUint{HuntBase::kUint, 1};
  return Raw(kUint, fmt::format("($0 & {}u)", below - 1), {Leaf(kUint)});
}

HuntType HuntGenerator::IntegerType(int most_width) {
  constexpr int kWidths[] = {1, 2, 3, 4, 8, 16};
  int width = 0;
  do {
    width = kWidths[random_.Below(6)];
  } while (width > most_width);
  return {static_cast<HuntBase>(random_.Below(device_.has_longs ? 8 : 6)), width};
}

HuntType HuntGenerator::WordType() {
  return {static_cast<HuntBase>(4 + random_.Below(device_.has_longs ? 4 : 2)), 1};
}

void HuntGenerator::Add(HuntStmt stmt) {
  if (blocks_.empty()) {
    program_.body.push_back(std::move(stmt));
    return;
  }
  Block& block = blocks_.back();
  (block.is_otherwise ? block.stmt.otherwise : block.stmt.body).push_back(std::move(stmt));
}

void HuntGenerator::Line(std::string head, std::vector<HuntExpr> exprs, std::string cause) {
  Add({.head = std::move(head), .exprs = std::move(exprs), .cause = std::move(cause)});
}

void HuntGenerator::Mix(const std::string& place, HuntType type, HuntExpr value) {
  const bool promotes = type.width == 1 && BytesOf(type.base) < 4;
  Line(place + " = $0;",
       {Raw(type, promotes ? fmt::format("({})($0 ^ $1)", NameOf(type)) : "($0 ^ $1)",
            {Raw(type, place), std::move(value)}, "xor")});
}

void HuntGenerator::Output(HuntExpr expr) {
  HuntStmt stmt;
  stmt.is_output = true;
  stmt.exprs.push_back(std::move(expr));
  Add(std::move(stmt));
}

std::string HuntGenerator::Declare(HuntType type, HuntExpr value) {
  std::string name = NewName("v");
  HuntStmt stmt;
  stmt.head = fmt::format("{} {} = $0;", NameOf(type), name);
  stmt.declares = name;
  stmt.exprs.push_back(std::move(value));
  Add(std::move(stmt));
  scope_.emplace_back(name, type);
  return name;
}

void HuntGenerator::Begin(std::string head, std::vector<HuntExpr> exprs, std::string cause) {
  HuntStmt stmt{.head = std::move(head),
                .exprs = std::move(exprs),
                .has_body = true,
                .cause = std::move(cause)};
  blocks_.push_back({std::move(stmt), false, scope_.size()});
}

void HuntGenerator::Else() {
  blocks_.back().is_otherwise = true;
  scope_.resize(blocks_.back().scope);
}

void HuntGenerator::End() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  scope_.resize(block.scope);
  Add(std::move(block.stmt));
}

void HuntGenerator::Barrier(std::string_view fences) {
  Line(fmt::format("barrier({});", fences), {}, "barrier");
}

void HuntGenerator::Part(std::string name, HuntStmt text, bool is_inside) {
  program_.parts.push_back({std::move(name), std::move(text), is_inside});
}

std::string HuntGenerator::LocalArray(HuntType type) {
  std::string name = NewName("t");
  Part(name, {.head = fmt::format("local {} {}[{}];", NameOf(type), name, kHuntMostLocal)}, true);
  return name;
}

std::string HuntGenerator::Cells(std::string_view type, std::uint64_t count, std::uint64_t first) {
  const std::string name = NewName("x");
  program_.cells.push_back(
      {name, std::string(type), count, first, fmt::format("volatile global {}* {}", type, name)});
  return name;
}

std::vector<std::pair<std::string, HuntType>> HuntGenerator::TakeScope() {
  return std::exchange(scope_, {});
}

}  // namespace assay::tools
