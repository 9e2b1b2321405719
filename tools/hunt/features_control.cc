// Loops, switches, functions and jumps.
#include <fmt/format.h>

#include "tools/hunt/generate.h"

namespace assay::tools {
namespace {

constexpr HuntType kControlUint{HuntBase::kUint, 1};

using G = HuntGenerator;

void AddIf(G& to) {
  const HuntType type = to.IntegerType();
  const std::string v = to.Declare(type, to.Leaf(type));
  to.Begin("if ($0)", {to.Condition()}, "if");
  to.Line(v + " = $0;", {to.Expr(type, 2)});
  to.Begin("if ($0)", {to.Condition()}, "if");
  to.Mix(v, type, to.Leaf(type));
  to.End();
  to.Else();
  to.Line(v + " = $0;", {to.Expr(type, 1)});
  to.End();
  to.Output(G::Raw(type, v));
}

void AddFor(G& to) {
  const HuntType type = to.IntegerType(4);
  const std::string v = to.Declare(type, to.Leaf(type)), k = to.NewName("k");
  to.Begin(fmt::format("for (uint {0} = 0; {0} < $0; ++{0})", k), {to.Small(16)}, "for");
  to.Line(fmt::format("if ($0 == {}) continue;", k), {to.Small(8)}, "continue");
  to.Mix(v, type, to.Expr(type, 1));
  to.Line(fmt::format("if (({} & 3u) == $0) break;", k), {to.Small(8)}, "break");
  to.Line(v + " = $0;", {G::Raw(type, fmt::format("rotate($0, ({})1)", NameOf(type)),
                                {G::Raw(type, v)}, "rotate")});
  to.End();
  to.Output(G::Raw(type, v));
}

void AddWhile(G& to) {
  const std::string v = to.Declare(kControlUint, to.Leaf(kControlUint));
  const std::string k = to.Declare(kControlUint, to.Small(16));
  to.Begin(fmt::format("while ({} > 0u)", k), {}, "while");
  to.Line(k + " -= 1u;");
  to.Line(fmt::format("{0} = {0} * 5u + $0;", v), {to.Leaf(kControlUint)});
  to.End();
  to.Output(G::Raw(kControlUint, v));
}

void AddEndlessFor(G& to) {
  const std::string v = to.Declare(kControlUint, to.Leaf(kControlUint));
  const std::string k = to.Declare(kControlUint, HuntConstant(kControlUint, 0));
  // The condition is in the loop, so that `continue` cannot pass the count by.
  to.Begin(fmt::format("for (;;)"), {}, "endless_for");
  to.Line(fmt::format("{0} = ({0} >> 1u) + $0;", v), {to.Leaf(kControlUint)});
  to.Line(fmt::format("if (++{} > $0) break;", k), {to.Small(8)});
  to.End();
  to.Output(G::Raw(kControlUint, v));
}

void AddSwitch(G& to) {
  const HuntType type = to.IntegerType(4);
  const std::string v = to.Declare(type, to.Leaf(type));
  to.Begin("switch ($0)", {to.Small(8)}, "switch");
  for (int label = 0; label < 6; ++label) {
    to.Line(fmt::format("case {}: {} ^= $0;", label == 5 ? 7 : label, v), {to.Expr(type, 1)});
    if (!to.random().Chance(3)) to.Line("break;");
  }
  to.Line(fmt::format("default: {} |= $0;", v), {to.Leaf(type)});
  to.End();
  to.Output(G::Raw(type, v));
}

void AddNested(G& to) {
  const std::string v = to.Declare(kControlUint, HuntConstant(kControlUint, 1));
  const std::string k = to.NewName("k"), m = to.NewName("k");
  to.Begin(fmt::format("for (uint {0} = 0; {0} < $0; ++{0})", k), {to.Small(8)}, "nested_for");
  to.Begin(fmt::format("for (uint {0} = {1}; {0} < 7u; ++{0})", m, k), {}, "nested_for");
  to.Line(fmt::format("if ((({} ^ {}) & 3u) == $0) continue;", v, m), {to.Small(4)}, "continue");
  to.Line(fmt::format("{0} = {0} * 3u + {1} + $0;", v, m), {to.Leaf(kControlUint)});
  to.Line(fmt::format("if ({} % 11u == 0u) break;", v), {}, "break");
  to.End();
  to.Line(fmt::format("if ({} % 13u == 1u) break;", v), {}, "break");
  to.End();
  to.Output(G::Raw(kControlUint, v));
}

// Of a function with an early return, called twice.
void AddCall(G& to) {
  const HuntType type = to.IntegerType();
  const std::string name = to.NewName("f") + "@";
  auto scope = to.TakeScope();
  to.Know("a", type);
  to.Know("b", type);
  to.reads_buffers = false;
  HuntStmt body{.head = fmt::format("{0} {1}({0} a, {0} b, uint c)", NameOf(type), name),
                .has_body = true,
                .cause = "call"};
  body.body.push_back(
      {.head = "if (c & 1u) return $0;", .exprs = {to.Expr(type, 1)}, .cause = "early_return"});
  body.body.push_back({.head = "if (c > 5u) a = $0;", .exprs = {to.Expr(type, 1)}});
  body.body.push_back({.head = "return $0;", .exprs = {to.Expr(type, 2)}});
  to.reads_buffers = true;
  to.GiveScope(std::move(scope));
  to.Part(name, std::move(body), false);
  HuntExpr inner =
      G::Raw(type, name + "($0, $1, $2)", {to.Leaf(type), to.Leaf(type), to.Small(8)}, "call");
  to.Output(
      G::Raw(type, name + "($0, $1, $2)", {std::move(inner), to.Leaf(type), to.Small(8)}, "call"));
}

void AddPointerCall(G& to) {
  const HuntType type = to.IntegerType(4);
  const std::string name = to.NewName("f") + "@", v = to.NewName("v"), w = to.NewName("v");
  HuntStmt body{.head = fmt::format("void {1}({0}* a, {0}* b)", NameOf(type), name),
                .has_body = true,
                .cause = "call_by_pointer"};
  body.body.push_back({.head = fmt::format("{} c = *a;", NameOf(type))});
  body.body.push_back({.head = "*a = *b;"});
  body.body.push_back({.head = "*b = c;"});
  to.Part(name, std::move(body), false);
  to.Add({.head = fmt::format("{} {} = $0;", NameOf(type), v),
          .exprs = {to.Leaf(type)},
          .declares = v});
  to.Add({.head = fmt::format("{} {} = $0;", NameOf(type), w),
          .exprs = {to.Leaf(type)},
          .declares = w});
  to.Line(fmt::format("if ($0) {}(&{}, &{});", name, v, w), {to.Condition()}, "call_by_pointer");
  to.Output(G::Raw(type, v));
  to.Output(G::Raw(type, w));
}

void AddGoto(G& to) {
  const std::string v = to.Declare(kControlUint, to.Leaf(kControlUint));
  const std::string k = to.Declare(kControlUint, HuntConstant(kControlUint, 0));
  const std::string label = to.NewName("g"), out = to.NewName("g");
  to.Line(fmt::format("{}: ++{};", label, k), {}, "goto");
  to.Line(fmt::format("{0} = {0} * 3u + $0;", v), {to.Leaf(kControlUint)});
  to.Line(fmt::format("if ({} % 5u == 2u) goto {};", v, out), {}, "goto");
  to.Line(fmt::format("if ({} < $0) goto {};", k, label), {to.Small(8)}, "goto");
  to.Line(fmt::format("{} ^= 0x55u;", v));
  to.Line(fmt::format("{}: {} += 7u;", out, v), {}, "goto");
  to.Output(G::Raw(kControlUint, v));
}

// What comma, increments and short circuits do, and when.
void AddSideEffects(G& to) {
  const std::string v = to.Declare(kControlUint, to.Leaf(kControlUint));
  const std::string k = to.Declare(kControlUint, to.Small(8));
  to.Line(fmt::format("if ({0} > $0 && {0}++ < 5u) {1} += {0};", k, v), {to.Small(8)},
          "short_circuit");
  to.Line(fmt::format("if ({0} < $0 || --{0} == 3u) {1} ^= {0};", k, v), {to.Small(8)},
          "short_circuit");
  to.Line(fmt::format("{1} += ({0} *= 3u, {0} + 1u);", k, v), {}, "comma");
  to.Output(G::Raw(kControlUint, v));
  to.Output(G::Raw(kControlUint, k));
}

// A block has the value that a variable had where the block was made.
void AddBlock(G& to) {
  const HuntType type = to.IntegerType(4);
  const std::string v = to.Declare(type, to.Leaf(type)), block = to.NewName("b");
  auto scope = to.TakeScope();
  to.Know("a", type);
  to.Know(v, type);
  to.reads_buffers = false;
  to.Add({.head = fmt::format("{0} (^{1})({0}) = ^({0} a) {{ if ($0) return $1; return $2; }};",
                              NameOf(type), block),
          .exprs = {to.Condition(), to.Expr(type, 1), to.Expr(type, 2)},
          .declares = block,
          .cause = "block"});
  to.reads_buffers = true;
  to.GiveScope(std::move(scope));
  to.Line(v + " = $0;", {to.Leaf(type)});
  HuntExpr inner = G::Raw(type, block + "($0)", {to.Leaf(type)}, "block");
  to.Output(G::Raw(type, block + "($0)", {std::move(inner)}, "block"));
  to.Output(G::Raw(type, v));
}

constexpr bool HasBlocks(const HuntDevice& device) { return device.has_blocks; }

constexpr HuntFeature kControlFeatures[] = {
    {"if", HuntKind::kControl, "C99 6.8", AddIf},
    {"for", HuntKind::kControl, "C99 6.8", AddFor},
    {"while", HuntKind::kControl, "C99 6.8", AddWhile},
    {"endless_for", HuntKind::kControl, "C99 6.8", AddEndlessFor},
    {"switch", HuntKind::kControl, "C99 6.8", AddSwitch},
    {"nested_for", HuntKind::kControl, "C99 6.8", AddNested},
    {"call", HuntKind::kControl, "C99 6.8", AddCall},
    {"call_by_pointer", HuntKind::kControl, "C99 6.8", AddPointerCall},
    {"goto", HuntKind::kControl, "C99 6.8", AddGoto},
    {"short_circuit", HuntKind::kControl, "6.5.7", AddSideEffects},
    {"block", HuntKind::kControl, "6.14", AddBlock, HasBlocks},
};

}  // namespace

std::span<const HuntFeature> ControlFeatures() { return kControlFeatures; }

}  // namespace assay::tools
