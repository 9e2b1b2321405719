// Operations with more than one right result, as rows: the built-in functions of the numerical
// compliance chapter (numerics/functions.def) and conversions of floating point.
#include <fmt/format.h>

#include <cctype>
#include <deque>
#include <optional>
#include <string>

#include "numerics/functions.h"
#include "tools/hunt/operations.h"

namespace assay::tools {
namespace {

using numerics::FunctionClass;
using numerics::FunctionInfo;

// Not asked: any result of native_ functions conforms, and all of nan() are alike.
bool IsAsked(const FunctionInfo& info) {
  return info.cls != FunctionClass::kNative && info.name != "nan";
}

// The expression over x, y, z with places of operands.
std::string FormOf(const FunctionInfo& info) {
  const bool has_second = info.results.size() > 1;
  if (info.expression.empty()) {
    std::string form = fmt::format("{}(", info.name);
    for (int k = 0; k < info.Arity(); ++k) form += fmt::format("{}${}", k == 0 ? "" : ", ", k);
    return form + (has_second ? ", &second)" : ")");
  }
  std::string form;
  for (const char letter : info.expression) {
    form +=
        letter >= 'x' && letter <= 'z' ? fmt::format("${}", letter - 'x') : std::string(1, letter);
  }
  return "(" + form + ")";
}

std::string_view ClauseOf(FunctionClass cls) {
  switch (cls) {
    case FunctionClass::kOperator:
      return "7.4";
    case FunctionClass::kMath:
    case FunctionClass::kHalf:
    case FunctionClass::kNative:
      return "6.15.2, 7.4";
    case FunctionClass::kCommon:
      return "6.15.4, 7.4";
    case FunctionClass::kGeometric:
      return "6.15.5, 7.4";
  }
  return "";
}

// Letters of HuntOperation for those of functions.def.
std::string OperandsOf(const FunctionInfo& info) {
  // Where a clause leaves the result of other operands open.
  if (info.name == "mix") return "ZZw";
  if (info.name == "clamp") return "Z-+";
  if (info.name == "smoothstep") return "-+T";
  const bool has_range = info.name == "half_sin" || info.name == "half_cos" ||
                         info.name == "half_tan" || info.name == "fast_normalize";
  const bool is_integer = info.results[0] == 'I';
  std::string operands;
  for (const char letter : info.operands) {
    operands += letter == 'I'   ? 'J'
                : has_range     ? 'T'
                : letter == 'V' ? (info.results[0] == 'V' ? 'Z' : 'G')
                : is_integer    ? 'z'
                                : 'Z';
  }
  return operands;
}

char WidthsOf(const FunctionInfo& info) {
  if (!info.IsGeometric()) return '*';
  if (info.results[0] == 'F') return '1';
  return info.name == "cross" ? 'x' : 'g';
}

class Rows {
 public:
  // The strings of rows live as long as the rows.
  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::vector<HuntOperation> Make();

 private:
  void AddFunction(const FunctionInfo& info, bool of_half);
  void AddConversions(bool of_half);

  std::deque<std::string> texts_;
  std::vector<HuntOperation> rows_;
};

void Rows::AddFunction(const FunctionInfo& info, bool of_half) {
  const bool only_float = info.formats == numerics::kFloatOnly;
  if (of_half && only_float) return;
  const bool is_integer = info.results[0] == 'I';
  HuntOperation row{.name = info.name,
                    .form = Keep(FormOf(info)),
                    .result = is_integer   ? 'k'
                              : of_half    ? 'H'
                              : only_float ? 'o'
                                           : 'f',
                    .widths = WidthsOf(info),
                    .operands = Keep(OperandsOf(info)),
                    .kind = of_half ? HuntKind::kHalves : HuntKind::kFunctions,
                    .clause = ClauseOf(info.cls),
                    .is_root = true};
  row.is_judged = true;
  if (info.results.size() > 1) row.second = info.results[1] == 'I' ? 'k' : 'T';
  rows_.push_back(row);
}

// To integers saturated, since the rest is open for what does not fit; to floating point.
void Rows::AddConversions(bool of_half) {
  const HuntKind kind = of_half ? HuntKind::kHalves : HuntKind::kFunctions;
  for (const char* suffix : {"", "_rte", "_rtz", "_rtp", "_rtn"}) {
    HuntOperation row{.name = Keep(fmt::format("convert_sat{}", suffix)),
                      .form = Keep(fmt::format("convert_$T_sat{}($0)", suffix)),
                      .result = 'i',
                      .widths = '*',
                      .operands = "z",
                      .kind = kind,
                      .clause = "6.4.3.3",
                      .is_root = true};
    row.is_judged = true;
    rows_.push_back(row);
    row.name = Keep(fmt::format("convert{}", suffix));
    row.form = Keep(fmt::format("convert_$T{}($0)", suffix));
    row.result = of_half ? 'H' : 'f';
    row.operands = of_half ? "A" : "O";
    rows_.push_back(row);
    if (!of_half) continue;
    row.result = 'f';
    row.operands = "z";
    rows_.push_back(row);
  }
}

std::vector<HuntOperation> Rows::Make() {
  for (const bool of_half : {false, true}) {
    for (const FunctionInfo& info : numerics::AllFunctions()) {
      if (IsAsked(info)) AddFunction(info, of_half);
    }
    AddConversions(of_half);
  }
  return std::move(rows_);
}

}  // namespace

std::span<const HuntOperation> JudgedOperations() {
  static Rows rows;
  static const std::vector<HuntOperation> made = rows.Make();
  return made;
}

}  // namespace assay::tools
