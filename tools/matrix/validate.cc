#include "tools/matrix/validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "numerics/matrix/multiply.h"
#include "numerics/matrix/product_range.h"
#include "numerics/matrix/random_tiles.h"
#include "numerics/matrix/tile.h"

namespace assay::tools {
namespace {

namespace matrix = numerics::matrix;
using matrix::Model;
using nlohmann::ordered_json;
using TileElements = std::vector<std::uint32_t>;

constexpr std::string_view kEveryInstruction = "@matrix", kMatrixPrefix = "matrix_";
constexpr std::size_t kTilesAtOnce = 256;

// The operands of some tiles, one behind another.
struct Operands {
  Operands(const Model& model, std::uint64_t seed, std::uint64_t first, std::size_t count)
      : a(count * Size(model.m, model.k)),
        b(count * Size(model.k, model.n)),
        c(count * Size(model.m, model.n)) {
    for (std::size_t i = 0; i < count; ++i) {
      FillTile(model, seed, first + i, &a[i * Size(model.m, model.k)],
               &b[i * Size(model.k, model.n)], &c[i * Size(model.m, model.n)]);
    }
  }
  static std::size_t Size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  TileElements a, b, c;
};

// The same result by a model.  Only those of devices know the bits of NaN.
bool IsSame(const Model& model, std::uint32_t x, std::uint32_t y) {
  const auto* const format = numerics::small_float::FormatOf(model.accumulator);
  if (x == y || format == nullptr || model.arithmetic == matrix::Arithmetic::kFused) return x == y;
  const auto is_nan = [&](std::uint32_t bits) {
    return Decode(*format, bits).kind == numerics::small_float::Kind::kNan;
  };
  return is_nan(x) && is_nan(y);
}

// Judges the results of one instruction.
class MatrixJudge {
 public:
  MatrixJudge(const Model& exact, const MatrixValidation& options, MatrixRow* row)
      : exact_(exact), options_(options), row_(*row) {}

  // kUnsupported where the model that was given lacks the instruction.
  Expected<void> Prepare() {
    for (const std::string_view name : matrix::ModelNames()) {
      auto model = matrix::FindModel(name, {}, exact_.input, exact_.accumulator);
      if (model && exact_.k % model->k == 0) models_.push_back({std::string(name), *model, true});
    }
    if (options_.model.empty() || IsInteger()) return {};
    auto model =
        matrix::FindModel(options_.model, options_.model_text, exact_.input, exact_.accumulator);
    if (!model) return tl::unexpected<Error>(model.error());
    if (exact_.k % model->k != 0) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("{}: k = {} of its instruction {} does not divide {}", options_.model,
                              model->k, model->name, exact_.k));
    }
    given_ = *std::move(model);
    return {};
  }
  bool IsInteger() const { return exact_.arithmetic == matrix::Arithmetic::kInteger; }

  void Judge(const Operands& operands, const TileElements& results, std::uint64_t first) {
    const std::size_t size = Operands::Size(exact_.m, exact_.n);
    for (std::size_t i = 0; i < results.size() / size; ++i) {
      JudgeTile(operands, i,
                {results.begin() + static_cast<std::ptrdiff_t>(i * size),
                 results.begin() + static_cast<std::ptrdiff_t>((i + 1) * size)},
                first + i);
    }
  }

  void Finish() {
    for (const Candidate& candidate : models_) {
      if (candidate.agrees) row_.same_as.push_back(candidate.name);
    }
    row_.digest = fmt::format("{:016x}", digest_);
    const bool has_model = IsInteger() || given_.has_value();
    row_.verdict = row_.unsteady > 0 ? MatrixVerdict::kNotDeterministic
                   : row_.wrong > 0  ? MatrixVerdict::kFail
                   : has_model       ? MatrixVerdict::kPass
                                     : MatrixVerdict::kOpen;
  }

 private:
  struct Candidate {
    std::string name;
    Model model;
    bool agrees = true;
  };

  TileElements Computed(const Model& model, const Operands& operands, std::size_t i) const {
    const matrix::Shape shape = ShapeOf();
    TileElements d(shape.m * shape.n);
    Multiply(model, shape, &operands.a[i * shape.m * shape.k], &operands.b[i * shape.k * shape.n],
             &operands.c[i * shape.m * shape.n], d.data(), options_.threads);
    return d;
  }
  matrix::Shape ShapeOf() const {
    return {static_cast<std::size_t>(exact_.m), static_cast<std::size_t>(exact_.n),
            static_cast<std::size_t>(exact_.k)};
  }

  void JudgeTile(const Operands& operands, std::size_t i, const TileElements& d,
                 std::uint64_t tile) {
    for (Candidate& candidate : models_) {
      if (!candidate.agrees) continue;
      const TileElements own = Computed(candidate.model, operands, i);
      candidate.agrees = std::equal(
          d.begin(), d.end(), own.begin(),
          [&](std::uint32_t x, std::uint32_t y) { return IsSame(candidate.model, x, y); });
    }
    row_.dots += d.size();
    for (std::size_t e = 0; e < d.size(); ++e) {
      digest_ += matrix::DigestTerm(d[e], tile * d.size() + e);
    }
    if (IsInteger() || given_) {
      const Model& model = IsInteger() ? exact_ : *given_;
      const TileElements right = Computed(model, operands, i);
      for (std::size_t e = 0; e < d.size(); ++e) {
        if (IsSame(model, d[e], right[e])) continue;
        ++row_.wrong;
        if (!row_.first_wrong) row_.first_wrong = PlaceOf(tile, e, d[e], right[e]);
      }
    }
    if (!IsInteger()) JudgeFloats(operands, i, d, tile);
  }

  void JudgeFloats(const Operands& operands, std::size_t i, const TileElements& d,
                   std::uint64_t tile) {
    const auto [m, n, k] = ShapeOf();
    const std::uint32_t* const a = &operands.a[i * m * k];
    const std::uint32_t* const b = &operands.b[i * k * n];
    const std::uint32_t* const c = &operands.c[i * m * n];
    std::vector<double> errors(m * n);
    MultiplyErrors(exact_, ShapeOf(), a, b, c, d.data(), errors.data(), options_.threads);
    matrix::Lines rows(exact_, m, k), columns(exact_, n, k);
    for (std::size_t x = 0; x < m * k; ++x) rows.Set(x / k, x % k, a[x]);
    for (std::size_t x = 0; x < k * n; ++x) columns.Set(x % n, x / n, b[x]);
    const TileElements exact = Computed(exact_, operands, i);
    for (std::size_t e = 0; e < d.size(); ++e) {
      const auto range = RangeOfProduct(exact_, rows.at(e / n), columns.at(e % n), k, c[e]);
      if (!range.Contains(exact_, d[e])) {
        ++row_.outside;
        if (!row_.first_outside) row_.first_outside = PlaceOf(tile, e, d[e], exact[e]);
      }
      // An infinite error is an overflow, or a NaN: another kind of difference than a large one.
      if (std::isfinite(errors[e]) && errors[e] > row_.worst_ulp) {
        row_.worst_ulp = errors[e];
        row_.worst = PlaceOf(tile, e, d[e], exact[e]);
      }
    }
  }

  MatrixPlace PlaceOf(std::uint64_t tile, std::size_t e, std::uint32_t device,
                      std::uint32_t expected) const {
    const auto n = static_cast<std::size_t>(exact_.n);
    return {tile, e / n, e % n, device, expected};
  }

  const Model exact_;
  const MatrixValidation& options_;
  MatrixRow& row_;
  std::vector<Candidate> models_;
  std::optional<Model> given_;
  std::uint64_t digest_ = 0;
};

Expected<void> Measure(MatrixDevice& device, const MatrixValidation& options, MatrixRow* row,
                       const std::atomic<bool>& stop) {
  const MatrixInstruction& instruction = row->instruction;
  auto exact = matrix::FindModel("exact", {}, instruction.input, instruction.accumulator);
  if (!exact) return tl::unexpected<Error>(exact.error());
  exact->m = instruction.m;
  exact->n = instruction.n;
  exact->k = instruction.k;
  MatrixJudge judge(*exact, options, row);
  if (auto prepared = judge.Prepare(); !prepared) return prepared;
  for (std::size_t first = 0; first < options.tiles && !stop; first += kTilesAtOnce) {
    const std::size_t count = std::min(kTilesAtOnce, options.tiles - first);
    const Operands operands(*exact, options.seed, first, count);
    const auto once = device.Run(instruction, count, operands.a, operands.b, operands.c);
    if (!once) return tl::unexpected<Error>(once.error());
    const auto again = device.Run(instruction, count, operands.a, operands.b, operands.c);
    if (!again) return tl::unexpected<Error>(again.error());
    for (std::size_t e = 0; e < once->size(); ++e) row->unsteady += (*once)[e] != (*again)[e];
    judge.Judge(operands, *once, first);
  }
  if (stop) return Fail(ErrorKind::kDevice, "interrupted");
  judge.Finish();
  return {};
}

// The digests of an earlier report, by the instruction's name.
Expected<std::map<std::string, std::string>> DigestsOf(const MatrixValidation& options) {
  std::map<std::string, std::string> digests;
  if (options.baseline.empty()) return digests;
  const ordered_json json = base::ParseJson(options.baseline);
  const auto wrong = [](const std::string& why) {
    return Fail(ErrorKind::kUsage, "--baseline: " + why);
  };
  if (!json.is_object() || json.value("schema", "") != "assay-matrix-report/1" ||
      !json.contains("rows") || !json["rows"].is_array()) {
    return wrong("it is no report of `assay validate --functions @matrix --json FILE`");
  }
  if (json.value("seed", std::uint64_t{0}) != options.seed ||
      json.value("tiles", std::size_t{0}) != options.tiles) {
    return wrong("it has results of other operands: give the same --level, --samples and --seed");
  }
  for (const ordered_json& row : json["rows"]) {
    if (row.is_object() && row.contains("digest")) {
      digests[row.value("instruction", "")] = row.value("digest", "");
    }
  }
  return digests;
}

std::string RowName(const MatrixInstruction& instruction) {
  return std::string(kMatrixPrefix) + instruction.name;
}

// The instructions that the names select, in the device's order.
Expected<std::vector<MatrixInstruction>> Selected(const MatrixDevice& device,
                                                  const std::vector<std::string>& names) {
  std::vector<bool> wanted(device.instructions().size());
  for (const std::string& name : names) {
    bool any = name == kEveryInstruction;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string row = RowName(device.instructions()[i]);
      if (name != kEveryInstruction && fnmatch(name.c_str(), row.c_str(), 0) != 0) continue;
      wanted[i] = any = true;
    }
    if (any) continue;
    std::string has;
    for (const MatrixInstruction& one : device.instructions()) {
      has += (has.empty() ? "" : ", ") + RowName(one);
    }
    return Fail(ErrorKind::kUsage,
                fmt::format("--functions: the device has no instruction '{}'; it has {}", name,
                            has.empty() ? "none" : has));
  }
  std::vector<MatrixInstruction> selected;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) selected.push_back(device.instructions()[i]);
  }
  return selected;
}

std::string ShapeText(const MatrixInstruction& instruction) {
  return fmt::format("{}x{}x{}", instruction.m, instruction.n, instruction.k);
}

std::string PlaceText(const MatrixRow& row, const char* what, const MatrixPlace& place,
                      const char* beside) {
  const int digits = 2 * matrix::ElementBytes(row.instruction.accumulator);
  return fmt::format("    {}: tile {}, row {}, column {}: 0x{:0{}x}, {} 0x{:0{}x}\n", what,
                     place.tile, place.row, place.column, place.device, digits, beside,
                     place.expected, digits);
}

ordered_json PlaceJson(const std::optional<MatrixPlace>& place) {
  if (!place) return nullptr;
  return {{"tile", place->tile},
          {"row", place->row},
          {"column", place->column},
          {"device", fmt::format("0x{:08x}", place->device)},
          {"expected", fmt::format("0x{:08x}", place->expected)}};
}

}  // namespace

std::string_view MatrixVerdictName(MatrixVerdict verdict) {
  switch (verdict) {
    case MatrixVerdict::kPass:
      return "pass";
    case MatrixVerdict::kFail:
      return "fail";
    case MatrixVerdict::kOpen:
      return "not defined by the text";
    case MatrixVerdict::kNotDeterministic:
      return "not deterministic";
    case MatrixVerdict::kNotMeasured:
      return "not measured";
  }
  return "";
}

bool IsMatrixName(std::string_view name) {
  return name == kEveryInstruction || name.starts_with(kMatrixPrefix);
}

Expected<MatrixReport> ValidateMatrices(MatrixDevice& device, const MatrixValidation& options,
                                        const std::atomic<bool>& stop) {
  if (device.instructions().empty() && device.left_out().empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} declares no matrix instructions", device.name()));
  }
  const auto selected = Selected(device, options.names);
  if (!selected) return tl::unexpected<Error>(selected.error());
  if (!options.model.empty()) {  // an unknown name is told before anything is asked
    const auto model = matrix::FindModel(options.model, options.model_text, "f16", "f32");
    if (!model && model.error().kind == ErrorKind::kUsage) {
      return Fail(ErrorKind::kUsage, "--matrix: " + model.error().message);
    }
  }
  const auto digests = DigestsOf(options);
  if (!digests) return tl::unexpected<Error>(digests.error());
  MatrixReport report{.device = device.name(),
                      .driver = device.driver(),
                      .compiler = device.compiler(),
                      .seed = options.seed,
                      .tiles = options.tiles,
                      .model = options.model,
                      .left_out = device.left_out()};
  for (const MatrixInstruction& instruction : *selected) {
    MatrixRow row{.instruction = instruction};
    if (stop) {
      row.message = "interrupted";
    } else if (auto measured = Measure(device, options, &row, stop); !measured) {
      row.verdict = MatrixVerdict::kNotMeasured;
      row.message = measured.error().message;
    }
    if (const auto before = digests->find(instruction.name); before != digests->end()) {
      row.before = before->second;
    }
    report.rows.push_back(std::move(row));
  }
  report.interrupted = stop;
  return report;
}

std::string MatrixTable(const MatrixReport& report) {
  std::string text = fmt::format("{:<16} {:<10} {:>8} {:<22} {:>8} {:>11}  {}\n", "instruction",
                                 "shape", "results", "verdict", "outside", "worst ulp", "same as");
  for (const MatrixRow& row : report.rows) {
    const bool measured = row.verdict != MatrixVerdict::kNotMeasured;
    text += fmt::format("{:<16} {:<10} {:>8} {:<22} {:>8} {:>11.6g}  {}\n", row.instruction.name,
                        ShapeText(row.instruction), row.dots, MatrixVerdictName(row.verdict),
                        row.outside, row.worst_ulp,
                        !measured             ? row.message
                        : row.same_as.empty() ? "none"
                                              : fmt::format("{}", fmt::join(row.same_as, ", ")));
    if (row.unsteady > 0) {
      text += fmt::format("    {} results differed when they were asked again\n", row.unsteady);
    }
    if (row.first_wrong) text += PlaceText(row, "wrong", *row.first_wrong, "expected");
    if (row.first_outside) text += PlaceText(row, "outside", *row.first_outside, "exact");
    if (row.worst) text += PlaceText(row, "worst", *row.worst, "exact");
    if (!row.before.empty()) {
      text += row.HasChanged() ? "    changed: other results than in the baseline\n"
                               : "    the same results as in the baseline\n";
    }
  }
  if (!report.left_out.empty()) {
    text += fmt::format("not asked, for there is no arithmetic for them: {}\n",
                        fmt::join(report.left_out, ", "));
  }
  return text;
}

ordered_json MatrixReportToJson(const MatrixReport& report) {
  ordered_json json{{"schema", "assay-matrix-report/1"},
                    {"device", report.device},
                    {"driver", report.driver},
                    {"compiler", report.compiler},
                    {"option", report.option},
                    {"seed", report.seed},
                    {"tiles", report.tiles},
                    {"model", report.model},
                    {"interrupted", report.interrupted},
                    {"left_out", report.left_out},
                    {"rows", ordered_json::array()}};
  for (const MatrixRow& row : report.rows) {
    ordered_json entry{{"instruction", row.instruction.name},
                       {"input", row.instruction.input},
                       {"accumulator", row.instruction.accumulator},
                       {"m", row.instruction.m},
                       {"n", row.instruction.n},
                       {"k", row.instruction.k},
                       {"verdict", MatrixVerdictName(row.verdict)}};
    if (!row.message.empty()) entry["message"] = row.message;
    if (row.verdict != MatrixVerdict::kNotMeasured) {
      entry["results"] = row.dots;
      entry["wrong"] = row.wrong;
      entry["first_wrong"] = PlaceJson(row.first_wrong);
      entry["outside"] = row.outside;
      entry["first_outside"] = PlaceJson(row.first_outside);
      entry["unsteady"] = row.unsteady;
      entry["worst_ulp"] = row.worst_ulp;
      entry["worst"] = PlaceJson(row.worst);
      entry["same_as"] = row.same_as;
      entry["digest"] = row.digest;
    }
    if (!row.before.empty()) entry["baseline"] = row.HasChanged() ? "changed" : "same";
    json["rows"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace assay::tools
