#include "oracle/checks/element.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/shell_word.h"
#include "oracle/checks/integer.h"

namespace assay::oracle {
namespace {

// Divisible by every width times the work-group's size.
constexpr std::size_t kGranule = 768;
constexpr std::uint64_t kLocalSize = 16;
constexpr std::size_t kOpsTogether = 5;  // in all widths, of a program of separate kernels
constexpr char kOperands[] = "abc";

struct Family {
  std::vector<ElementOp> ops;
  bool alone = false;  // the common program is lost
};

std::string WidthText(int width) { return width == 1 ? "" : fmt::format("{}", width); }

// One case of the switch.
std::string CaseText(const ElementOp& op, int width) {
  const std::string w = WidthText(width);
  std::string text;
  for (std::size_t k = 0; k < op.in.size(); ++k) {
    const char* type = op.in[k].name;
    const std::string cast = fmt::format("(const global {}*)p{}", type, kOperands[k]);
    text += fmt::format(
        "{}{} {} = {}; ", type, w, kOperands[k],
        width == 1 ? fmt::format("({})[i]", cast) : fmt::format("vload{}(i, {})", width, cast));
  }
  const char* out = (width == 1 ? op.scalar_out : op.vector_out).name;
  const std::pair<std::string, std::string> named[] = {{"{w}", w}};
  const std::string value = Filled(op.text, named);
  if (width == 1) return text + fmt::format("((global {}*)pr)[i] = {};", out, value);
  return text + fmt::format("vstore{}({}, i, (global {}*)pr);", width, value, out);
}

std::uint32_t CaseNumber(std::size_t op, int width) {
  return static_cast<std::uint32_t>(op) * 32 + static_cast<std::uint32_t>(width);
}

std::string ProgramText(const DeviceFacts& facts, const std::vector<ElementOp>& ops) {
  std::vector<KernelCase> cases;
  for (std::size_t k = 0; k < ops.size(); ++k) {
    for (const int width : ops[k].widths) {
      cases.push_back({CaseNumber(k, width), CaseText(ops[k], width)});
    }
  }
  const std::string program = CasesProgram(
      facts,
      "const global uchar* pa, const global uchar* pb, const global uchar* pc, global uchar* pr",
      "size_t i = get_global_id(0);", cases);
  return ExtensionPragmas(program) + program;
}

std::vector<ElementBits> FloatEdges(const ElementType& type) {
  const int significand = type.bits == 16 ? 10 : type.bits == 32 ? 23 : 52;
  const ElementBits sign = ElementBits{1} << (type.bits - 1);
  const ElementBits one = ElementBits{1} << significand;
  const ElementBits infinity = Truncated(~ElementBits{0}, type) & ~sign & ~(one - 1);
  std::vector<ElementBits> edges;
  for (const ElementBits bits :
       {ElementBits{0}, ElementBits{1}, one - 1, one, one + 1, infinity - 1, infinity, infinity + 1,
        infinity | one >> 1, infinity | (one - 1), infinity / 2, infinity / 2 + one,
        infinity / 2 + one / 2}) {
    edges.push_back(bits);
    edges.push_back(bits | sign);
  }
  return edges;
}

std::vector<ElementBits> Edges(const ElementType& type) {
  if (type.is_float()) return FloatEdges(type);
  const ElementBits top = ElementBits{1} << (type.bits - 1);
  const ElementBits half = ElementBits{1} << type.bits / 2;
  std::vector<ElementBits> edges;
  for (const ElementBits bits : {ElementBits{0},
                                 ElementBits{1},
                                 ElementBits{2},
                                 ElementBits{3},
                                 ElementBits{7},
                                 ElementBits(type.bits) - 1,
                                 ElementBits(type.bits),
                                 ElementBits(type.bits) + 1,
                                 half - 1,
                                 half,
                                 half + 1,
                                 top - 2,
                                 top - 1,
                                 top,
                                 top + 1,
                                 ~ElementBits{0},
                                 ~ElementBits{1},
                                 ~ElementBits{2},
                                 ~half,
                                 0x5555555555555555u,
                                 0xaaaaaaaaaaaaaaaau}) {
    edges.push_back(Truncated(bits, type));
  }
  return edges;
}

// The operands of all items: column by column.
using Columns = std::vector<std::vector<ElementBits>>;

void Pad(std::uint64_t seed, const ElementOp& op, std::size_t count, Columns* columns) {
  for (std::size_t item = (*columns)[0].size(); item < count; ++item) {
    for (std::size_t k = 0; k < op.in.size(); ++k) {
      (*columns)[k].push_back(RandomElement(op.in[k], CheckHash(seed, item, k + 1)));
    }
  }
}

// All operands where they are few, else pairs of edges; then random ones.
Columns InputsOf(const ElementOp& op, const CheckOptions& options) {
  Columns columns(op.in.size());
  int bits = 0;
  for (const ElementType& type : op.in) bits += type.bits;
  const std::uint64_t count = options.Of(1, 64, 1024) * kGranule;
  if (bits <= 16) {
    for (std::uint64_t all = 0; all < std::uint64_t{1} << bits; ++all) {
      std::uint64_t rest = all;
      for (std::size_t k = 0; k < op.in.size(); ++k) {
        columns[k].push_back(Truncated(rest, op.in[k]));
        rest >>= op.in[k].bits;
      }
    }
  } else if (op.in.size() == 1) {
    columns[0] = Edges(op.in[0]);
  } else {
    const auto first = Edges(op.in[0]), second = Edges(op.in[1]);
    for (const ElementBits a : first) {
      for (const ElementBits b : second) {
        columns[0].push_back(a);
        columns[1].push_back(b);
        if (op.in.size() > 2) {
          columns[2].push_back(RandomElement(op.in[2], CheckHash(options.seed, a, b)));
        }
      }
    }
  }
  const std::size_t wanted = std::max<std::size_t>(count, columns[0].size());
  Pad(options.seed, op, (wanted + kGranule - 1) / kGranule * kGranule, &columns);
  return columns;
}

Expected<ElementBits> ParseElement(const std::string& text, const ElementType& type) {
  char* end = nullptr;
  errno = 0;
  if (type.is_float() && !text.starts_with("0x")) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("--at: '{}' is no operand; write the bits of a {}: 0x...", text, type.name));
  }
  const bool negative = text.starts_with("-");
  const ElementBits bits = negative ? static_cast<ElementBits>(std::strtoll(text.c_str(), &end, 0))
                                    : std::strtoull(text.c_str(), &end, 0);
  const ElementBits kept = Truncated(bits, type);
  const bool fits = negative ? type.is_signed() : kept == bits;
  if (text.empty() || *end != '\0' || errno != 0 || !fits) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("--at: '{}' is no {}; write a number, or bits: 0x...", text, type.name));
  }
  return kept;
}

// --at: the lanes repeat over all items.
Expected<Columns> InputsAt(const ElementOp& op, const std::vector<std::string>& at) {
  Columns lanes(op.in.size());
  for (const std::string& item : at) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= item.size();) {
      const std::size_t comma = std::min(item.find(',', begin), item.size());
      parts.push_back(item.substr(begin, comma - begin));
      begin = comma + 1;
    }
    if (parts.size() != op.in.size()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--at {}: {} has {} operands", item, op.row, op.in.size()));
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto bits = ParseElement(parts[k], op.in[k]);
      if (!bits) return tl::unexpected<Error>(bits.error());
      lanes[k].push_back(*bits);
    }
  }
  Columns columns(op.in.size());
  for (std::size_t item = 0; item < kGranule; ++item) {
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      columns[k].push_back(lanes[k][item % lanes[k].size()]);
    }
  }
  return columns;
}

std::vector<std::byte> Packed(const std::vector<ElementBits>& column, const ElementType& type) {
  std::vector<std::byte> bytes(column.size() * type.bytes());
  for (std::size_t k = 0; k < column.size(); ++k) {
    std::memcpy(bytes.data() + k * type.bytes(), &column[k], type.bytes());
  }
  return bytes;
}

std::string AtText(const ElementOp& op, const Columns& columns, std::size_t item) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < op.in.size(); ++k) {
    const ElementBits bits = columns[k][item];
    parts.push_back(op.in[k].is_float() ? fmt::format("{:#x}", bits) : ElementText(bits, op.in[k]));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

// "--width 4 --at 127,1 --at ..." with the operands of each lane.
std::string OptionsAt(const ElementOp& op, const Columns& columns, std::size_t item, int width) {
  const auto lanes = static_cast<std::size_t>(width);
  std::string options = fmt::format("--width {}", width);
  for (std::size_t lane = item / lanes * lanes; lane < item / lanes * lanes + lanes; ++lane) {
    options += " --at " + base::ShellWord(AtText(op, columns, lane));
  }
  return options;
}

// Counts the answers of one width.
void JudgeWidth(CheckRun& run, const ElementOp& op, const Columns& columns, int width,
                const std::vector<std::byte>& answers) {
  const ElementType out = width == 1 ? op.scalar_out : op.vector_out;
  std::array<ElementBits, 3> operands = {};
  for (std::size_t item = 0; item < columns[0].size(); ++item) {
    for (std::size_t k = 0; k < op.in.size(); ++k) operands[k] = columns[k][item];
    const auto expected = op.value(std::span(operands).first(op.in.size()), width);
    if (!expected) continue;
    ElementBits observed = 0;
    std::memcpy(&observed, answers.data() + item * out.bytes(), out.bytes());
    run.Answer(observed == *expected, [&] {
      std::vector<std::string> texts;
      for (std::size_t k = 0; k < op.in.size(); ++k) {
        texts.push_back(fmt::format("{} = {}", kOperands[k], ElementText(operands[k], op.in[k])));
      }
      const std::string lane =
          width == 1
              ? ""
              : fmt::format(", lane {} of width {}", item % static_cast<std::size_t>(width), width);
      return CheckSighting{
          .input = fmt::format("{}{} of {}", fmt::join(texts, ", "), lane, op.text),
          .observed = ElementText(observed, out),
          .expected = ElementText(*expected, out),
          .options = OptionsAt(op, columns, item, width)};
    });
  }
}

Expected<std::vector<std::byte>> AskWidth(CheckRun& run, const std::vector<ElementOp>& ops,
                                          std::size_t k, int width, const Columns& columns) {
  const ElementOp& op = ops[k];
  KernelRequest request;
  request.source = ProgramText(run.facts(), ops);
  request.options = run.facts().Standard();
  request.kernel = CaseKernel(run.facts(), CaseNumber(k, width));
  request.arguments.push_back(ValueOf(CaseNumber(k, width)));
  std::vector<std::vector<std::byte>> inputs;
  for (std::size_t operand = 0; operand < 3; ++operand) {
    const std::size_t used = std::min(operand, op.in.size() - 1);
    inputs.push_back(Packed(columns[used], op.in[used]));
    request.arguments.push_back(InputOf(inputs.back().size()));
  }
  const ElementType out = width == 1 ? op.scalar_out : op.vector_out;
  request.arguments.push_back(OutputOf(columns[0].size() * out.bytes()));
  request.global = {columns[0].size() / static_cast<std::size_t>(width), 1, 1};
  request.local = {kLocalSize, 1, 1};
  auto answers = run.Ask(request, std::move(inputs));
  if (!answers) return tl::unexpected<Error>(answers.error());
  return std::move(answers->front());
}

Expected<void> RunElement(CheckRun& run, Family& family, std::size_t k) {
  const ElementOp& op = family.ops[k];
  Columns columns;
  if (run.options().at.empty()) {
    columns = InputsOf(op, run.options());
  } else {
    auto at = InputsAt(op, run.options().at);
    if (!at) return tl::unexpected<Error>(at.error());
    columns = std::move(*at);
  }
  const auto [together, place] = Together(run.facts(), family.ops, k, kOpsTogether);
  for (const int width : run.options().widths) {
    if (std::find(op.widths.begin(), op.widths.end(), width) == op.widths.end()) continue;
    auto answers = Expected<std::vector<std::byte>>();
    if (!family.alone) {
      answers = AskWidth(run, together, place, width, columns);
      // One of the others may be the one that does not compile.
      family.alone = !answers;
    }
    if (family.alone) answers = AskWidth(run, {op}, 0, width, columns);
    if (!answers) return tl::unexpected<Error>(answers.error());
    JudgeWidth(run, op, columns, width, *answers);
  }
  return {};
}

}  // namespace

ElementType SignedOf(const ElementType& type) {
  return type.bits == 8 ? kChar : type.bits == 16 ? kShort : type.bits == 32 ? kInt : kLong;
}

ElementType UnsignedOf(const ElementType& type) {
  return type.bits == 8 ? kUchar : type.bits == 16 ? kUshort : type.bits == 32 ? kUint : kUlong;
}

ElementBits Truncated(ElementBits bits, const ElementType& type) {
  return type.bits == 64 ? bits : bits & ((ElementBits{1} << type.bits) - 1);
}

ElementBits RandomElement(const ElementType& type, std::uint64_t hash) {
  const std::uint64_t bits = CheckHash(hash, 1);
  switch (hash % 4) {
    case 0: {
      const auto edges = Edges(type);
      return edges[bits % edges.size()];
    }
    case 1: {
      const int shift = static_cast<int>(hash / 4 % static_cast<unsigned>(type.bits));
      const ElementBits few = Truncated(bits, type) >> shift;
      return Truncated(hash / 1024 % 2 == 0 ? few : ~few, type);
    }
    default:
      return Truncated(bits, type);
  }
}

std::string Filled(std::string text, std::span<const std::pair<std::string, std::string>> values) {
  for (const auto& [what, with] : values) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
      text.replace(at, what.size(), with);
    }
  }
  return text;
}

std::string ElementText(ElementBits bits, const ElementType& type) {
  if (type.is_float()) {
    if (type.bits == 64) return fmt::format("{} ({:#x})", std::bit_cast<double>(bits), bits);
    if (type.bits == 16) return fmt::format("{:#06x}", bits);
    return fmt::format("{} ({:#x})", std::bit_cast<float>(static_cast<std::uint32_t>(bits)), bits);
  }
  const int above = 64 - type.bits;
  if (!type.is_signed()) return fmt::format("{}", bits);
  return fmt::format("{}", static_cast<std::int64_t>(bits << above) >> above);
}

std::string ExtensionPragmas(std::string_view source) {
  std::string text;
  if (source.find("half") != std::string_view::npos) {
    text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  }
  if (source.find("double") != std::string_view::npos) {
    text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  }
  return text;
}

void AddElementChecks(CheckList list, std::vector<ElementOp> ops, std::vector<Check>* checks) {
  auto family = std::make_shared<Family>();
  for (ElementOp& op : ops) {
    const bool has = op.lacks.empty();
    const std::size_t place = family->ops.size();
    checks->push_back(
        {.list = list,
         .name = op.row,
         .clause = op.clause,
         .lacks = op.lacks,
         .run = [family, place](CheckRun& run) { return RunElement(run, *family, place); },
         .has_operands = true});
    if (has) family->ops.push_back(std::move(op));
  }
}

}  // namespace assay::oracle
