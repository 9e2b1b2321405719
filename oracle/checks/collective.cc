#include "oracle/checks/collective.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

namespace assay::oracle {
namespace {

constexpr std::uint64_t kCollectiveGroups = 3;

std::int64_t SignedValue(ElementBits bits, const ElementType& type) {
  const int above = 64 - type.bits;
  return static_cast<std::int64_t>(bits << above) >> above;
}

// Half, float and double hold the small integers that are asked exactly.
double Small(ElementBits bits, const ElementType& type) {
  if (type.bits == 64) return std::bit_cast<double>(bits);
  if (type.bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const int exponent = static_cast<int>(bits >> 10 & 31),
            significand = static_cast<int>(bits & 1023);
  const double size = exponent == 0    ? std::ldexp(significand, -24)
                      : exponent == 31 ? std::numeric_limits<double>::infinity()
                                       : std::ldexp(significand + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}
ElementBits BitsOfSmall(double value, const ElementType& type) {
  if (type.bits == 64) return std::bit_cast<std::uint64_t>(value);
  if (type.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (value == 0) return 0;
  const ElementBits sign = value < 0 ? 0x8000 : 0;
  if (std::isinf(value)) return sign | 0x7c00;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  return sign | static_cast<ElementBits>(exponent + 14) << 10 |
         (static_cast<ElementBits>(fraction * 2048) & 1023);
}

bool Below(ElementBits a, ElementBits b, const ElementType& type) {
  if (type.is_float()) return Small(a, type) < Small(b, type);
  return type.is_signed() ? SignedValue(a, type) < SignedValue(b, type) : a < b;
}
ElementBits Sum(ElementBits a, ElementBits b, const ElementType& type) {
  if (type.is_float()) return BitsOfSmall(Small(a, type) + Small(b, type), type);
  return Truncated(a + b, type);
}
ElementBits Lowest(const ElementType& type) {
  if (type.is_float()) return BitsOfSmall(-std::numeric_limits<double>::infinity(), type);
  return type.is_signed() ? ElementBits{1} << (type.bits - 1) : 0;
}
ElementBits Highest(const ElementType& type) {
  if (type.is_float()) return BitsOfSmall(std::numeric_limits<double>::infinity(), type);
  return type.is_signed() ? Lowest(type) - 1 : Truncated(~ElementBits{0}, type);
}
ElementBits Zero(const ElementType&) { return 0; }

const Combination kCombinations[] = {
    {"add", true, Zero, Sum},
    {"min", true, Highest,
     [](ElementBits a, ElementBits b, const ElementType& type) {
       return Below(b, a, type) ? b : a;
     }},
    {"max", true, Lowest,
     [](ElementBits a, ElementBits b, const ElementType& type) {
       return Below(a, b, type) ? b : a;
     }},
    {"mul", true,
     [](const ElementType& type) { return type.is_float() ? BitsOfSmall(1, type) : 1; },
     [](ElementBits a, ElementBits b, const ElementType& type) {
       if (type.is_float()) return BitsOfSmall(Small(a, type) * Small(b, type), type);
       return Truncated(a * b, type);
     }},
    {"and", false, [](const ElementType& type) { return Truncated(~ElementBits{0}, type); },
     [](ElementBits a, ElementBits b, const ElementType&) { return a & b; }},
    {"or", false, Zero, [](ElementBits a, ElementBits b, const ElementType&) { return a | b; }},
    {"xor", false, Zero, [](ElementBits a, ElementBits b, const ElementType&) { return a ^ b; }},
};

struct Shape {
  int dimensions = 1;
  std::array<std::uint64_t, 3> local = {1, 1, 1};
  std::uint64_t size() const { return local[0] * local[1] * local[2]; }
};

std::vector<Shape> ShapesFor(const CheckRun& run) {
  std::vector<Shape> shapes = {
      {1, {1, 1, 1}}, {1, {13, 1, 1}}, {1, {64, 1, 1}}, {2, {7, 5, 1}}, {3, {4, 2, 3}}};
  if (run.options().level != Level::kSmoke) {
    for (const std::uint64_t size : {2u, 3u, 8u, 16u, 17u, 31u, 32u, 33u, 100u, 128u, 255u, 256u}) {
      shapes.push_back({1, {size, 1, 1}});
    }
    shapes.push_back({2, {16, 16, 1}});
    shapes.push_back({3, {8, 4, 4}});
  }
  const std::uint64_t most = run.facts().Number(DeviceQuery::kMaxWorkGroupSize);
  if (run.options().level != Level::kSmoke && most > 256) shapes.push_back({1, {most, 1, 1}});
  std::erase_if(shapes, [&](const Shape& shape) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (shape.local[k] > run.facts().max_work_item_sizes[k]) return true;
    }
    return shape.size() > most;
  });
  return shapes;
}

// Small integers, so that no sum overflows and sums of floats are exact; the highest bit of a wide
// type is used, too.
ElementBits InputValue(const ElementType& type, std::uint64_t hash) {
  const auto small =
      static_cast<std::int64_t>(hash % 15) - (type.kind == ElementType::Kind::kUnsigned ? 0 : 7);
  if (type.is_float()) return BitsOfSmall(static_cast<double>(small), type);
  const std::int64_t high = type.bits == 64 ? small << 40 : 0;
  return Truncated(static_cast<ElementBits>(small + high), type);
}

std::string ProgramOf(const CollectiveFamily& family, const CollectiveOp& op) {
  const bool sub = family.sub_groups;
  std::string text = fmt::format(
      "kernel void ask(const global {0}* in, global {1}* out, global uint* who) {{\n"
      "  size_t l = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * "
      "get_local_id(2));\n"
      "  size_t g = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * "
      "get_group_id(2));\n"
      "  size_t i = g * get_local_size(0) * get_local_size(1) * get_local_size(2) + l;\n"
      "  uint n = {2}, lane = {3};\n  {0} x = in[i];\n  who[3 * i] = {4};\n  who[3 * i + 1] = "
      "lane;\n  who[3 * i + 2] = n;\n",
      op.in.name, op.out.name,
      sub ? "get_sub_group_size()" : "get_local_size(0) * get_local_size(1) * get_local_size(2)",
      sub ? "get_sub_group_local_id()" : "l", sub ? "get_sub_group_id()" : "0");
  text += op.active.empty() ? fmt::format("  out[i] = {};\n", op.text)
                            : fmt::format("  if ({}) {{ out[i] = {}; }}\n", op.active, op.text);
  std::string pragmas = ExtensionPragmas(text);
  return pragmas + text + "}\n";
}

struct Launched {
  std::vector<ElementBits> in, out;
  std::vector<std::uint32_t> who;
};

Expected<Launched> Ask(CheckRun& run, const CollectiveFamily& family, const CollectiveOp& op,
                       const Shape& shape) {
  Launched launched;
  const std::uint64_t items = kCollectiveGroups * shape.size();
  std::vector<std::byte> input(items * op.in.bytes());
  for (std::uint64_t item = 0; item < items; ++item) {
    launched.in.push_back(InputValue(op.in, CheckHash(run.options().seed, item, shape.size())));
    std::memcpy(input.data() + item * op.in.bytes(), &launched.in.back(), op.in.bytes());
  }
  KernelRequest request{
      .source = ProgramOf(family, op),
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {InputOf(input.size()), OutputOf(items * op.out.bytes()), OutputOf(items * 12)}};
  request.dimensions = static_cast<std::uint32_t>(shape.dimensions);
  request.global = request.local = shape.local;
  // The groups lie along the last dimension.
  request.global[static_cast<std::size_t>(shape.dimensions) - 1] *= kCollectiveGroups;
  auto answers = run.Ask(request, {input});
  if (!answers) return tl::unexpected<Error>(answers.error());
  for (std::uint64_t item = 0; item < items; ++item) {
    ElementBits bits = 0;
    std::memcpy(&bits, (*answers)[0].data() + item * op.out.bytes(), op.out.bytes());
    launched.out.push_back(bits);
  }
  launched.who = NumbersOf<std::uint32_t>((*answers)[1]);
  return launched;
}

// The members of each group, in order; an error of the numbers themselves is counted.
using Members = std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::size_t>>;
std::optional<Members> MembersOf(CheckRun& run, const Launched& launched, const Shape& shape) {
  Members members;
  for (std::size_t item = 0; item < launched.in.size(); ++item) {
    members[{item / shape.size(), launched.who[3 * item]}].push_back(item);
  }
  for (auto& [group, items] : members) {
    std::sort(items.begin(), items.end(), [&](std::size_t a, std::size_t b) {
      return launched.who[3 * a + 1] < launched.who[3 * b + 1];
    });
    for (std::size_t lane = 0; lane < items.size(); ++lane) {
      const std::size_t item = items[lane];
      const bool right =
          launched.who[3 * item + 1] == lane && launched.who[3 * item + 2] == items.size();
      if (right) continue;
      run.Expect(false,
                 fmt::format("number and size in group {} of local size {}x{}x{}", group.second,
                             shape.local[0], shape.local[1], shape.local[2]),
                 fmt::format("{} of {}", launched.who[3 * item + 1], launched.who[3 * item + 2]),
                 fmt::format("{} of {}", lane, items.size()));
      return std::nullopt;
    }
  }
  return members;
}

void Judge(CheckRun& run, const CollectiveOp& op, const Launched& launched, const Shape& shape,
           const std::vector<std::size_t>& items) {
  std::vector<ElementBits> values;
  std::vector<std::size_t> asked;
  for (const std::size_t item : items) {
    if (op.is_active && !op.is_active(launched.in[item])) continue;
    values.push_back(launched.in[item]);
    asked.push_back(item);
  }
  for (std::size_t lane = 0; lane < asked.size(); ++lane) {
    const auto expected = op.value(values, lane);
    if (!expected) continue;
    const ElementBits observed = launched.out[asked[lane]];
    run.Answer(observed == *expected, [&] {
      std::vector<std::string> texts;
      for (const ElementBits value : values) texts.push_back(ElementText(value, op.in));
      return CheckSighting{
          .input = fmt::format("{} in work-item {} of {}, local size {}x{}x{}, x = {}", op.text,
                               lane, asked.size(), shape.local[0], shape.local[1], shape.local[2],
                               fmt::join(texts, " ")),
          .observed = ElementText(observed, op.out),
          .expected = ElementText(*expected, op.out),
          .options = ""};
    });
  }
}

Expected<void> RunCollective(CheckRun& run, const CollectiveFamily& family,
                             const CollectiveOp& op) {
  for (const Shape& shape : ShapesFor(run)) {
    if (op.dimensions != 0 && op.dimensions != shape.dimensions) continue;
    const auto launched = Ask(run, family, op, shape);
    if (!launched) return tl::unexpected<Error>(launched.error());
    const auto members = MembersOf(run, *launched, shape);
    if (!members) return {};
    for (const auto& [group, items] : *members) Judge(run, op, *launched, shape, items);
  }
  return {};
}

}  // namespace

std::span<const Combination> Combinations() { return kCombinations; }

ElementBits Combined(const Combination& by, Reach reach, Lanes x, std::size_t lane,
                     const ElementType& type) {
  const std::size_t end = reach == Reach::kAll         ? x.size()
                          : reach == Reach::kInclusive ? lane + 1
                                                       : lane;
  if (end == 0) return by.identity(type);
  // Not from the identity on: the sum of -0 alone is -0.
  return std::accumulate(x.begin() + 1, x.begin() + static_cast<long>(end), x[0],
                         [&](ElementBits a, ElementBits b) { return by.combine(a, b, type); });
}

void AddCollectives(CollectiveFamily family, std::vector<Check>* checks) {
  auto shared = std::make_shared<const CollectiveFamily>(std::move(family));
  for (std::size_t k = 0; k < shared->ops.size(); ++k) {
    const CollectiveOp& op = shared->ops[k];
    checks->push_back({.list = shared->list,
                       .name = op.row,
                       .clause = op.clause,
                       .lacks = op.lacks,
                       .run = [shared, k](CheckRun& run) {
                         return RunCollective(run, *shared, shared->ops[k]);
                       }});
  }
}

}  // namespace assay::oracle
