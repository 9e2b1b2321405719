// Literals, components, shuffles, loads and stores of vectors; any and all: what comes where.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "oracle/checks/integer.h"

namespace assay::oracle {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::uint64_t kItems = 64;
constexpr std::size_t kOpsTogether = 30;  // of a program of separate kernels

// The elements of an item: a's are 0 to 15, b's 16 to 31.
using Elements = std::vector<ElementBits>;
constexpr int kUndefined = -1;

struct ShapeOp {
  std::string name;  // "literal_4_of_2_2"
  std::string clause;
  int width = 1;          // the widest vector that takes part
  int out = 1;            // components of the result
  std::string text;       // statements that set r; {T}: the type
  std::vector<int> from;  // the element that each component of r has
};

constexpr char kComponents[] = "OpenCL C, Vector Components";
constexpr char kLiterals[] = "OpenCL C, Vector Literals";
constexpr char kLoads[] = "OpenCL C 6.15.7";
constexpr char kShuffles[] = "OpenCL C 6.15.13";
constexpr char kHex[] = "0123456789abcdef";

std::vector<int> Numbers(int first, int count, int step = 1) {
  std::vector<int> numbers;
  for (int k = 0; k < count; ++k) numbers.push_back(first + k * step);
  return numbers;
}

// a.wzyx, a.sf0, b.lo: reads of components.
void AddReads(std::vector<ShapeOp>* ops) {
  const auto letters = [&](int width, const std::string& names) {
    std::vector<int> from;
    for (const char c : names) from.push_back(static_cast<int>(std::string("xyzw").find(c)));
    ops->push_back({.name = fmt::format("read_{}_{}", width, names),
                    .clause = kComponents,
                    .width = width,
                    .out = static_cast<int>(names.size()),
                    .text = fmt::format("r = a{}.{};", width, names),
                    .from = from});
  };
  for (const char* names : {"x", "y", "yx", "xxyy"}) letters(2, names);
  for (const char* names : {"z", "zyx", "yz", "zxyz"}) letters(3, names);
  for (const char* names : {"w", "wzyx", "zw", "ywx", "zzzz", "xzyw"}) letters(4, names);
  for (const int width : {8, 16}) {
    for (std::uint64_t trial = 0; trial < 3; ++trial) {
      std::string names;
      std::vector<int> from;
      for (int k = 0; k < width; ++k) {
        const int element = trial == 0 ? width - 1 - k
                                       : static_cast<int>(CheckHash(trial, static_cast<unsigned>(k),
                                                                    static_cast<unsigned>(width)) %
                                                          static_cast<unsigned>(width));
        names += kHex[element];
        from.push_back(element);
      }
      ops->push_back({.name = fmt::format("read_{}_{}", width, names),
                      .clause = kComponents,
                      .width = width,
                      .out = width,
                      .text = fmt::format("r = a{}.s{};", width, names),
                      .from = from});
    }
  }
  for (const int width : {2, 4, 8, 16}) {
    const int half = width / 2;
    for (const auto& [name, from] : {std::pair{"lo", Numbers(0, half)},
                                     {"hi", Numbers(half, half)},
                                     {"even", Numbers(0, half, 2)},
                                     {"odd", Numbers(1, half, 2)}}) {
      ops->push_back({.name = fmt::format("read_{}_{}", width, name),
                      .clause = kComponents,
                      .width = width,
                      .out = half,
                      .text = fmt::format("r = a{}.{};", width, name),
                      .from = from});
    }
  }
  for (const auto& [name, from] : {std::pair{"lo", std::vector<int>{0, 1}},
                                   {"hi", {2, kUndefined}},
                                   {"even", {0, 2}},
                                   {"odd", {1, kUndefined}}}) {
    ops->push_back({.name = fmt::format("read_3_{}", name),
                    .clause = kComponents,
                    .width = 3,
                    .out = 2,
                    .text = fmt::format("r = a3.{};", name),
                    .from = from});
  }
}

// r.xz = b.yw and the like: the other components stay.
void AddWrites(std::vector<ShapeOp>* ops) {
  const auto write = [&](int width, const std::string& name, const std::string& text,
                         std::vector<int> from) {
    ops->push_back({.name = fmt::format("write_{}_{}", width, name),
                    .clause = kComponents,
                    .width = width,
                    .out = width,
                    .text = fmt::format("r = a{}; {}", width, text),
                    .from = std::move(from)});
  };
  write(2, "y", "r.y = b2.x;", {0, 16});
  write(2, "yx", "r.yx = b2;", {17, 16});
  write(3, "z", "r.z = b3.y;", {0, 1, 17});
  write(3, "xz", "r.xz = b2;", {16, 1, 17});
  write(4, "xz", "r.xz = b4.yw;", {17, 1, 19, 3});
  write(4, "wzyx", "r.wzyx = b4;", {19, 18, 17, 16});
  write(4, "hi", "r.hi = b2;", {0, 1, 16, 17});
  write(4, "odd", "r.odd = b2;", {0, 16, 2, 17});
  write(8, "lo", "r.lo = b4;", {16, 17, 18, 19, 4, 5, 6, 7});
  write(8, "even", "r.even = b4;", {16, 1, 17, 3, 18, 5, 19, 7});
  write(8, "s71", "r.s71 = b2;", {0, 17, 2, 3, 4, 5, 6, 16});
  write(16, "hi", "r.hi = b8;", {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23});
  write(16, "odd", "r.odd = b8;", {0, 16, 2, 17, 4, 18, 6, 19, 8, 20, 10, 21, 12, 22, 14, 23});
  write(16, "sf0", "r.sf0 = b2;", {17, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16});
}

void AddLiterals(std::vector<ShapeOp>* ops) {
  const auto literal = [&](int width, const std::string& name, const std::string& parts,
                           std::vector<int> from) {
    ops->push_back({.name = fmt::format("literal_{}_{}", width, name),
                    .clause = kLiterals,
                    .width = width,
                    .out = width,
                    .text = fmt::format("r = ({{T}}{})({});", width, parts),
                    .from = std::move(from)});
  };
  for (const int width : {2, 3, 4, 8, 16}) {
    literal(width, "of_one", "a1", std::vector<int>(static_cast<std::size_t>(width), 0));
    ops->push_back({.name = fmt::format("literal_{}_scalar", width),
                    .clause = kLiterals,
                    .width = width,
                    .out = width,
                    .text = fmt::format("r = a{0}; r = b1;", width),
                    .from = std::vector<int>(static_cast<std::size_t>(width), 16)});
  }
  literal(2, "1_1", "b1, a1", {16, 0});
  literal(3, "2_1", "a2, b1", {0, 1, 16});
  literal(3, "1_2", "b1, a2", {16, 0, 1});
  literal(4, "2_2", "a2, b2", {0, 1, 16, 17});
  literal(4, "1_2_1", "b1, a2, b2.y", {16, 0, 1, 17});
  literal(4, "3_1", "a3, b1", {0, 1, 2, 16});
  literal(4, "1_3", "b1, a3", {16, 0, 1, 2});
  literal(8, "4_4", "a4, b4", {0, 1, 2, 3, 16, 17, 18, 19});
  literal(8, "3_2_3", "a3, b2, b3", {0, 1, 2, 16, 17, 16, 17, 18});
  literal(16, "8_8", "b8, a8", {16, 17, 18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 4, 5, 6, 7});
  literal(16, "1_3_4_8", "a1, b3, a4, b8",
          {0, 16, 17, 18, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23});
}

void AddLoads(std::vector<ShapeOp>* ops) {
  for (const int width : {2, 3, 4, 8}) {
    for (const int at : {0, 1}) {
      ops->push_back({.name = fmt::format("vload{}_at_{}", width, at),
                      .clause = kLoads,
                      .width = width,
                      .out = width,
                      .text = fmt::format("r = vload{}({}, pa + 16 * i);", width, at),
                      .from = Numbers(at * width, width)});
    }
    // From an address that is aligned to the element only, through private memory.
    ops->push_back({.name = fmt::format("vstore{}_private", width),
                    .clause = kLoads,
                    .width = width,
                    .out = width,
                    .text = fmt::format("{{T}} m[17]; vstore16(a16, 0, m + 1); vstore{0}(b{0}, 0, "
                                        "m + 3); r = vload{0}(0, m + 2);",
                                        width),
                    .from = [&] {
                      std::vector<int> from = Numbers(15, width);
                      from[0] = 1;
                      return from;
                    }()});
  }
  ops->push_back({.name = "as_type_3_of_4",
                  .clause = "OpenCL C, Reinterpreting Types Using as_type()",
                  .width = 4,
                  .out = 3,
                  .text = "r = as_{T}3(a4);",
                  .from = {0, 1, 2}});
}

// Masks of which only the lowest bits count.
void AddShuffles(std::vector<ShapeOp>* ops, const std::string& mask_type) {
  for (const int from : {2, 4, 8, 16}) {
    for (const int to : {2, 4, 8, 16}) {
      for (const bool two : {false, true}) {
        std::vector<std::string> mask;
        std::vector<int> elements;
        for (int k = 0; k < to; ++k) {
          const auto number =
              CheckHash(static_cast<unsigned>(from * to), static_cast<unsigned>(k), two ? 2 : 1) %
              64;
          const int element =
              static_cast<int>(number % static_cast<unsigned>(two ? 2 * from : from));
          mask.push_back(fmt::format("{}", number));
          elements.push_back(element < from ? element : 16 + element - from);
        }
        ops->push_back({.name = fmt::format("shuffle{}_{}_of_{}", two ? "2" : "", to, from),
                        .clause = kShuffles,
                        .width = std::max(from, to),
                        .out = to,
                        .text = fmt::format("r = shuffle{}(a{}{}, ({}{})({}));", two ? "2" : "",
                                            from, two ? fmt::format(", b{}", from) : "", mask_type,
                                            to, fmt::join(mask, ", ")),
                        .from = std::move(elements)});
      }
    }
  }
}

std::string VectorName(const std::string& type, int width) {
  return width == 1 ? type : fmt::format("{}{}", type, width);
}

std::string ShapeCase(const ShapeOp& op, const std::string& type) {
  std::string text;
  for (const char* name : {"a", "b"}) {
    for (const int width : {1, 2, 3, 4, 8, 16}) {
      const std::string variable = fmt::format("{}{}", name, width);
      if (op.text.find(variable) == std::string::npos) continue;
      text += width == 1 ? fmt::format("{} {} = p{}[16 * i]; ", type, variable, name)
                         : fmt::format("{}{} {} = vload{}(0, p{} + 16 * i); ", type, width,
                                       variable, width, name);
    }
  }
  std::string statements = op.text;
  for (std::size_t at; (at = statements.find("{T}")) != std::string::npos;) {
    statements.replace(at, 3, type);
  }
  return fmt::format(
      "{}{} r; {} {}", text, VectorName(type, op.out), statements,
      op.out == 1 ? "pr[16 * i] = r;" : fmt::format("vstore{}(r, 0, pr + 16 * i);", op.out));
}

std::string ShapeProgram(const DeviceFacts& facts, const std::vector<ShapeOp>& ops,
                         const ElementType& type) {
  std::vector<KernelCase> cases;
  for (const ShapeOp& op : ops) {
    cases.push_back({static_cast<std::uint32_t>(cases.size()), ShapeCase(op, type.name)});
  }
  return ExtensionPragmas(type.name) +
         CasesProgram(
             facts,
             fmt::format("const global {0}* pa, const global {0}* pb, global {0}* pr", type.name),
             "size_t i = get_global_id(0);", cases);
}

// Numbers, no NaN: what a driver may do to a NaN that it moves is not the question here.
ElementBits Distinct(const ElementType& type, std::uint64_t hash) {
  if (!type.is_float()) return Truncated(hash, type);
  // The highest bit of the exponent is 0 and the next is 1: a normal number.
  const ElementBits top = ElementBits{1} << (type.bits - 2);
  return (Truncated(hash, type) & ~top) | top >> 1;
}

struct ShapeFamily {
  ElementType type;
  std::vector<ShapeOp> ops;
  bool alone = false;
};

Expected<std::vector<std::byte>> AskShape(CheckRun& run, const std::vector<ShapeOp>& ops,
                                          std::size_t k, const ElementType& type,
                                          const std::vector<std::byte>& a,
                                          const std::vector<std::byte>& b) {
  KernelRequest request{.source = ShapeProgram(run.facts(), ops, type),
                        .options = run.facts().Standard(),
                        .kernel = CaseKernel(run.facts(), static_cast<std::uint32_t>(k)),
                        .arguments = {ValueOf(static_cast<std::uint32_t>(k)), InputOf(a.size()),
                                      InputOf(b.size()), OutputOf(a.size())}};
  request.global = {kItems, 1, 1};
  request.local = {8, 1, 1};
  auto answers = run.Ask(request, {a, b});
  if (!answers) return tl::unexpected<Error>(answers.error());
  return std::move(answers->front());
}

Expected<void> RunShape(CheckRun& run, ShapeFamily& family, std::size_t k) {
  const ShapeOp& op = family.ops[k];
  const auto& widths = run.options().widths;
  if (std::find(widths.begin(), widths.end(), op.width) == widths.end()) return {};
  const std::size_t bytes = family.type.bytes();
  Elements elements[2];
  std::vector<std::byte> packed[2];
  for (std::size_t side = 0; side < 2; ++side) {
    packed[side].resize(kItems * kLanes * bytes);
    for (std::size_t element = 0; element < kItems * kLanes; ++element) {
      elements[side].push_back(
          Distinct(family.type, CheckHash(run.options().seed, element, side + 1)));
      std::memcpy(packed[side].data() + element * bytes, &elements[side].back(), bytes);
    }
  }
  auto answers = Expected<std::vector<std::byte>>();
  if (!family.alone) {
    const auto [together, place] = Together(run.facts(), family.ops, k, kOpsTogether);
    answers = AskShape(run, together, place, family.type, packed[0], packed[1]);
    family.alone = !answers;
  }
  if (family.alone) answers = AskShape(run, {op}, 0, family.type, packed[0], packed[1]);
  if (!answers) return tl::unexpected<Error>(answers.error());
  for (std::size_t item = 0; item < kItems; ++item) {
    for (std::size_t lane = 0; lane < op.from.size(); ++lane) {
      if (op.from[lane] == kUndefined) continue;
      const auto from = static_cast<std::size_t>(op.from[lane]);
      const ElementBits expected = elements[from / kLanes][item * kLanes + from % kLanes];
      ElementBits observed = 0;
      std::memcpy(&observed, answers->data() + (item * kLanes + lane) * bytes, bytes);
      run.Answer(observed == expected, [&] {
        return CheckSighting{
            .input = fmt::format("component {} of `{}`, which is element {} of {}", lane, op.text,
                                 from % kLanes, from < kLanes ? "a" : "b"),
            .observed = ElementText(observed, family.type),
            .expected = ElementText(expected, family.type),
            .options = fmt::format("--width {}", op.width)};
      });
    }
  }
  return {};
}

// any and all: of the highest bits of all components (OpenCL C 6.15.6).
ElementBits AnyOrAll(bool all, std::span<const ElementBits> lanes, const ElementType& type) {
  const auto is_set = [&](ElementBits bits) { return (bits >> (type.bits - 1)) != 0; };
  return all ? std::all_of(lanes.begin(), lanes.end(), is_set)
             : std::any_of(lanes.begin(), lanes.end(), is_set);
}

Expected<void> RunAnyAll(CheckRun& run, bool all, const ElementType& type) {
  const char* function = all ? "all" : "any";
  for (const int width : run.options().widths) {
    const auto lanes = static_cast<std::size_t>(width);
    Elements values;
    for (std::size_t item = 0; item < kItems; ++item) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        // Few bits set in half of the items, few clear in the others.
        const std::uint64_t hash = CheckHash(run.options().seed, item * kLanes + lane, lanes);
        const ElementBits low = Truncated(hash, type) >> 1;
        const bool high = (hash >> 40) % (2 * lanes) == 0;
        values.push_back(high == (item % 2 == 0) ? low | ElementBits{1} << (type.bits - 1) : low);
      }
    }
    std::vector<std::byte> packed(values.size() * type.bytes());
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::memcpy(packed.data() + k * type.bytes(), &values[k], type.bytes());
    }
    KernelRequest request{
        .source = fmt::format(
            "kernel void ask(const global {0}* p, global int* r) {{\n  size_t i = "
            "get_global_id(0);\n  r[i] = {1}({2});\n}}\n",
            type.name, function, width == 1 ? "p[i]" : fmt::format("vload{}(i, p)", width)),
        .options = run.facts().Standard(),
        .kernel = "ask",
        .arguments = {InputOf(packed.size()), OutputOf(kItems * 4)}};
    request.global = {kItems, 1, 1};
    request.local = {8, 1, 1};
    auto answers = run.Ask(request, {packed});
    if (!answers) return tl::unexpected<Error>(answers.error());
    const auto observed = NumbersOf<std::int32_t>(answers->front());
    for (std::size_t item = 0; item < kItems; ++item) {
      const auto operand = std::span(values).subspan(item * lanes, lanes);
      const auto expected = static_cast<std::int32_t>(AnyOrAll(all, operand, type));
      run.Answer(observed[item] == expected, [&] {
        std::vector<std::string> texts;
        for (const ElementBits bits : operand) texts.push_back(fmt::format("{:#x}", bits));
        return CheckSighting{.input = fmt::format("{}(({}{})({}))", function, type.name, width,
                                                  fmt::join(texts, ", ")),
                             .observed = fmt::format("{}", observed[item]),
                             .expected = fmt::format("{}", expected),
                             .options = fmt::format("--width {}", width)};
      });
    }
  }
  return {};
}

void AddAnyAll(const DeviceFacts& facts, std::vector<Check>* checks) {
  for (const ElementType& type : {kChar, kShort, kInt, kLong}) {
    for (const bool all : {false, true}) {
      checks->push_back({.list = CheckList::kInteger,
                         .name = fmt::format("integer_{}_{}", all ? "all" : "any", type.name),
                         .clause = "OpenCL C 6.15.6",
                         .lacks = type.bits == 64 && !facts.HasLong()
                                      ? "CL_DEVICE_EXTENSIONS: no cles_khr_int64"
                                      : "",
                         .run = [all, type](CheckRun& run) { return RunAnyAll(run, all, type); }});
    }
  }
}

}  // namespace

void AddVectorShapes(const DeviceFacts& facts, std::vector<Check>* checks) {
  std::vector<ElementType> types(std::begin(kIntegers), std::end(kIntegers));
  types.push_back(kFloat);
  for (const ElementType& type : types) {
    if (type.bits == 64 && !facts.HasLong()) continue;
    auto family = std::make_shared<ShapeFamily>();
    family->type = type;
    AddReads(&family->ops);
    AddWrites(&family->ops);
    AddLiterals(&family->ops);
    AddLoads(&family->ops);
    AddShuffles(&family->ops, UnsignedOf(type).name);
    for (std::size_t k = 0; k < family->ops.size(); ++k) {
      const ShapeOp& op = family->ops[k];
      checks->push_back({.list = CheckList::kInteger,
                         .name = fmt::format("integer_{}_{}", op.name, type.name),
                         .clause = op.clause,
                         .lacks = "",
                         .run = [family, k](CheckRun& run) { return RunShape(run, *family, k); }});
    }
  }
  AddAnyAll(facts, checks);
}

}  // namespace assay::oracle
