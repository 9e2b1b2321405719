#include "numerics/matrix/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "numerics/matrix/line.h"

namespace assay::numerics::matrix {
namespace {

using nlohmann::ordered_json;
using small_float::FormatOf;

constexpr std::string_view kSchema = "assay-matrix-model/1";
constexpr std::string_view kInputs[] = {"f16",      "bf16",     "tf32", "e4m3", "e5m2",
                                        "e4m3fnuz", "e5m2fnuz", "e3m2", "e2m3", "e2m1",
                                        "s8",       "u8",       "s4",   "u4"};
constexpr std::string_view kAccumulators[] = {"f16", "f32", "s32", "u32"};

template <std::size_t N>
bool Has(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Reads the members of one instruction; the first error stays.
class Reader {
 public:
  Reader(const ordered_json& json, std::string place) : json_(json), place_(std::move(place)) {}

  void Text(const char* member, std::string* to) {
    if (const ordered_json* value = Find(member, "a string", &ordered_json::is_string)) {
      *to = value->get<std::string>();
    }
  }
  void Number(const char* member, int* to) {
    const ordered_json* value = Find(member, "an integer", &ordered_json::is_number_integer);
    if (value == nullptr) return;
    const auto number = value->get<std::int64_t>();
    if (number < -4096 || number > 4096) return Wrong(member, "an integer from -4096 to 4096");
    *to = static_cast<int>(number);
  }
  void Flag(const char* member, bool* to) {
    if (const ordered_json* value = Find(member, "true or false", &ordered_json::is_boolean)) {
      *to = value->get<bool>();
    }
  }
  template <typename Enum, std::size_t N>
  void Name(const char* member, const std::string_view (&names)[N], Enum* to) {
    const ordered_json* value = Find(member, "a string", &ordered_json::is_string);
    if (value == nullptr) return;
    const auto* const found =
        std::find(std::begin(names), std::end(names), value->get<std::string>());
    if (found == std::end(names)) return Wrong(member, fmt::format("{}", fmt::join(names, ", ")));
    *to = static_cast<Enum>(found - std::begin(names));
  }
  void Hexadecimal(const char* member, std::uint32_t* to) {
    std::string text;
    Text(member, &text);
    if (error_) return;
    const char* const end = text.data() + text.size();
    if (!text.starts_with("0x") || text.size() > 10 ||
        std::from_chars(text.data() + 2, end, *to, 16).ptr != end || text.size() == 2) {
      Wrong(member, "a hexadecimal number such as \"0x7fffffff\"");
    }
  }
  Expected<void> Done() const {
    if (error_) return tl::unexpected<Error>(*error_);
    return {};
  }

 private:
  const ordered_json* Find(const char* member, std::string_view what,
                           bool (ordered_json::*is)() const noexcept) {
    if (error_) return nullptr;
    const auto found = json_.find(member);
    if (found == json_.end()) {
      error_ = Error{ErrorKind::kUsage, fmt::format("{}: '{}' is missing", place_, member)};
      return nullptr;
    }
    if (!((*found).*is)()) {
      Wrong(member, what);
      return nullptr;
    }
    return &*found;
  }
  void Wrong(const char* member, std::string_view wanted) {
    error_ = Error{ErrorKind::kUsage, fmt::format("{}: '{}' must be {}", place_, member, wanted)};
  }

  const ordered_json& json_;
  std::string place_;
  std::optional<Error> error_;
};

Expected<Model> ModelOf(const ordered_json& json, const std::string& place) {
  if (!json.is_object()) return Fail(ErrorKind::kUsage, place + ": not an object");
  Model model;
  Reader reader(json, place);
  reader.Text("name", &model.name);
  reader.Text("input", &model.input);
  reader.Text("accumulator", &model.accumulator);
  reader.Number("m", &model.m);
  reader.Number("n", &model.n);
  reader.Number("k", &model.k);
  reader.Name("arithmetic", kArithmeticNames, &model.arithmetic);
  if (model.arithmetic == Arithmetic::kFused) {
    reader.Number("block", &model.block);
    reader.Name("grouping", kGroupingNames, &model.grouping);
    reader.Name("addend", kAddendNames, &model.addend);
    reader.Name("product_exponent", kProductExponentNames, &model.product_exponent);
    reader.Number("alignment_bits", &model.alignment_bits);
    reader.Name("truncation", kTruncationNames, &model.truncation);
    reader.Number("minimum_exponent", &model.minimum_exponent);
    reader.Number("result_bits", &model.result_bits);
    reader.Name("result_rounding", small_float::kRoundingNames, &model.result_rounding);
    reader.Flag("subnormal_inputs", &model.subnormal_inputs);
    reader.Flag("subnormal_results", &model.subnormal_results);
    reader.Name("zero_sign", kZeroSignNames, &model.zero_sign);
  }
  if (model.arithmetic != Arithmetic::kInteger) reader.Hexadecimal("nan", &model.nan);
  if (auto read = reader.Done(); !read) return tl::unexpected<Error>(read.error());
  if (auto checked = CheckModel(model, place); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  return model;
}

}  // namespace

bool IsInput(std::string_view format) { return Has(kInputs, format); }
bool IsAccumulator(std::string_view format) { return Has(kAccumulators, format); }

int IntegerBits(std::string_view format) {
  constexpr std::pair<std::string_view, int> kIntegers[] = {{"s4", 4}, {"u4", 4},   {"s8", 8},
                                                            {"u8", 8}, {"s32", 32}, {"u32", 32}};
  for (const auto& [name, bits] : kIntegers) {
    if (name == format) return bits;
  }
  return 0;
}

int ElementBytes(std::string_view format) {
  if (const int bits = IntegerBits(format); bits != 0) return (bits + 7) / 8;
  const small_float::Format* const row = FormatOf(format);
  return row == nullptr ? 0 : (row->width() + 7) / 8;
}

Expected<void> CheckModel(const Model& model, std::string_view place) {
  const auto wrong = [&](std::string_view text) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: {}", place, text));
  };
  if (!Has(kInputs, model.input)) {
    return wrong(fmt::format("'input' must be one of {}", fmt::join(kInputs, ", ")));
  }
  if (!Has(kAccumulators, model.accumulator)) {
    return wrong(fmt::format("'accumulator' must be one of {}", fmt::join(kAccumulators, ", ")));
  }
  const bool is_integer = IntegerBits(model.input) != 0;
  if (is_integer != (model.arithmetic == Arithmetic::kInteger) ||
      is_integer != (IntegerBits(model.accumulator) != 0)) {
    return wrong(
        "integers (s8, u8, s4, u4), s32 or u32, and the arithmetic 'integer' belong "
        "together");
  }
  for (const int size : {model.m, model.n, model.k}) {
    if (size < 1 || size > 512) return wrong("'m', 'n' and 'k' must be from 1 to 512");
  }
  if (model.arithmetic != Arithmetic::kFused) return {};
  if (model.block < 1 || model.block > kMaxBlock || model.k % model.block != 0) {
    return wrong(fmt::format("'block' must be from 1 to {} and divide 'k'", kMaxBlock));
  }
  if (model.grouping == Grouping::kPairs && model.block % 2 != 0) {
    return wrong("'block' must be even with the grouping 'pairs'");
  }
  if (model.alignment_bits < 0 || model.alignment_bits > 38) {
    return wrong("'alignment_bits' must be from 0 to 38");
  }
  if (model.minimum_exponent < -1000 || model.minimum_exponent > 127) {
    return wrong("'minimum_exponent' must be from -1000 to 127");
  }
  const int mantissa_bits = FormatOf(model.accumulator)->mantissa_bits;
  if (model.result_bits < 1 || model.result_bits > mantissa_bits) {
    return wrong(fmt::format("'result_bits' must be from 1 to {}", mantissa_bits));
  }
  if (model.result_rounding != small_float::Rounding::kNearestEven &&
      model.result_rounding != small_float::Rounding::kTowardZero) {
    return wrong("'result_rounding' must be nearest-even or toward-zero");
  }
  return {};
}

Expected<ModelFile> ParseModelFile(std::string_view text, std::string_view place) {
  const ordered_json json = base::ParseJson(text);
  if (json.is_discarded() || !json.is_object()) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: no JSON object", place));
  }
  const auto schema = json.find("schema");
  if (schema == json.end() || *schema != kSchema) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: 'schema' must be \"{}\"", place, kSchema));
  }
  const auto list = json.find("instructions");
  if (list == json.end() || !list->is_array() || list->empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: 'instructions' must be an array that is not empty", place));
  }
  ModelFile file;
  const auto device = json.find("device");
  if (device != json.end() && device->is_string()) file.device = device->get<std::string>();
  for (std::size_t i = 0; i < list->size(); ++i) {
    Expected<Model> model = ModelOf((*list)[i], fmt::format("{}: instructions[{}]", place, i));
    if (!model) return tl::unexpected<Error>(model.error());
    file.instructions.push_back(*std::move(model));
  }
  return file;
}

ordered_json ModelToJson(const Model& model) {
  const auto name = [](const auto& names, auto value) {
    return std::string(names[static_cast<std::size_t>(value)]);
  };
  ordered_json json{{"name", model.name},
                    {"input", model.input},
                    {"accumulator", model.accumulator},
                    {"m", model.m},
                    {"n", model.n},
                    {"k", model.k},
                    {"arithmetic", name(kArithmeticNames, model.arithmetic)}};
  if (model.arithmetic == Arithmetic::kFused) {
    json["block"] = model.block;
    json["grouping"] = name(kGroupingNames, model.grouping);
    json["addend"] = name(kAddendNames, model.addend);
    json["product_exponent"] = name(kProductExponentNames, model.product_exponent);
    json["alignment_bits"] = model.alignment_bits;
    json["truncation"] = name(kTruncationNames, model.truncation);
    json["minimum_exponent"] = model.minimum_exponent;
    json["result_bits"] = model.result_bits;
    json["result_rounding"] = name(small_float::kRoundingNames, model.result_rounding);
    json["subnormal_inputs"] = model.subnormal_inputs;
    json["subnormal_results"] = model.subnormal_results;
    json["zero_sign"] = name(kZeroSignNames, model.zero_sign);
  }
  if (model.arithmetic != Arithmetic::kInteger) json["nan"] = fmt::format("0x{:x}", model.nan);
  return json;
}

}  // namespace assay::numerics::matrix
