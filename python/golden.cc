// Golden vectors of functions.
#include "oracle/golden/golden.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>

#include "assay_version.h"
#include "base/file.h"
#include "numerics/truth_version.h"
#include "oracle/golden/file.h"
#include "python/background.h"
#include "python/bindings.h"
#include "python/errors.h"

namespace py = pybind11;

namespace assay::python {
namespace {

using oracle::GoldenFile;
using oracle::GoldenVector;

struct MakeRequest {
  std::string function, format, level;
  int rounding = 0, digits = 40, threads = 0;
  std::uint64_t samples = 0, seed = 1;
  std::vector<std::vector<numerics::Bits>> given;
};

Expected<GoldenFile> Make(const MakeRequest& request, const std::atomic<bool>* stop) {
  auto operation = numerics::OperationFromName(request.function, request.format);
  if (!operation) return tl::unexpected(operation.error());
  oracle::InputOptions inputs{
      .samples = request.samples, .seed = request.seed, .given = request.given};
  inputs.level = request.level == "smoke"        ? oracle::Level::kSmoke
                 : request.level == "exhaustive" ? oracle::Level::kExhaustive
                                                 : oracle::Level::kStandard;
  auto vectors = oracle::ChooseInputs(*operation, inputs);
  if (!vectors) return tl::unexpected(vectors.error());
  const auto rounding = static_cast<numerics::Rounding>(request.rounding);
  GoldenFile file{.head = {.operation = *operation,
                           .rounding = rounding,
                           .digits = request.digits,
                           .tool = std::string("assay ") + ASSAY_VERSION,
                           .truth = numerics::TruthVersion(),
                           .command = "assay.golden in Python"},
                  .vectors = std::move(*vectors)};
  if (request.given.empty()) {
    file.head.command = "assay golden make " + request.function + " --formats " + request.format +
                        " --rounding " + std::string(RoundingName(rounding)) + " --digits " +
                        std::to_string(request.digits) + " --level " + request.level + " --seed " +
                        std::to_string(request.seed);
    if (request.samples != 0) file.head.command += " --samples " + std::to_string(request.samples);
  }
  oracle::DeriveAll(&file, request.threads, stop);
  return file;
}

// A column of bits over all vectors.
template <typename Get>
py::array_t<std::uint64_t> Column(const GoldenFile& file, const Get& get) {
  py::array_t<std::uint64_t> column(static_cast<py::ssize_t>(file.vectors.size()));
  std::uint64_t* to = column.mutable_data();
  for (const GoldenVector& vector : file.vectors) *to++ = get(vector);
  return column;
}

py::dict ResultColumns(const GoldenFile& file, std::size_t result) {
  const auto of = [result](const GoldenVector& vector) -> const oracle::GoldenResult& {
    return vector.results[result];
  };
  py::array_t<double> hardness(static_cast<py::ssize_t>(file.vectors.size()));
  py::list exact;
  for (std::size_t i = 0; i < file.vectors.size(); ++i) {
    hardness.mutable_data()[i] = of(file.vectors[i]).hardness;
    exact.append(of(file.vectors[i]).exact);
  }
  py::dict columns;
  columns["expected"] = Column(file, [&](const auto& vector) { return of(vector).expected; });
  columns["kind"] =
      Column(file, [&](const auto& vector) { return static_cast<std::uint64_t>(of(vector).kind); });
  columns["hardness"] = hardness;
  columns["exact"] = exact;
  for (const oracle::GoldenProfile profile : oracle::kGoldenProfiles) {
    const auto accepted = [&](const GoldenVector& vector) -> const oracle::Accepted& {
      return of(vector).accepted[static_cast<std::size_t>(profile)];
    };
    const py::str name{std::string(GoldenProfileName(profile))};
    columns[name] = py::make_tuple(
        Column(file, [&](const auto& v) { return static_cast<std::uint64_t>(accepted(v).kind); }),
        Column(file, [&](const auto& v) { return accepted(v).low; }),
        Column(file, [&](const auto& v) { return accepted(v).high; }));
  }
  return columns;
}

py::list TypeNames(const std::vector<numerics::ScalarType>& types) {
  py::list names;
  for (const auto type : types) names.append(std::string(numerics::ScalarTypeName(type)));
  return names;
}

py::dict ColumnsOf(const GoldenFile& file) {
  const std::vector<numerics::ScalarType> arguments = file.head.operation.ArgumentTypes();
  const std::vector<numerics::ScalarType> results = file.head.operation.ResultTypes();
  py::list args, outcomes, reasons;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    args.append(Column(file, [i](const auto& vector) { return vector.args[i]; }));
  }
  for (std::size_t r = 0; r < results.size(); ++r) outcomes.append(ResultColumns(file, r));
  for (const GoldenVector& vector : file.vectors) reasons.append(vector.reason);
  py::dict columns;
  columns["function"] = file.head.operation.Name();
  columns["format"] = file.head.operation.FormatName();
  columns["rounding"] = std::string(RoundingName(file.head.rounding));
  columns["argument_types"] = TypeNames(arguments);
  columns["result_types"] = TypeNames(results);
  columns["args"] = args;
  columns["reason"] = reasons;
  columns["results"] = outcomes;
  return columns;
}

GoldenFile MakeFile(const std::string& function, const std::string& format, int rounding,
                    const std::string& level, std::uint64_t samples, std::uint64_t seed, int digits,
                    std::vector<std::vector<numerics::Bits>> given, int threads) {
  MakeRequest request{.function = function,
                      .format = format,
                      .level = level,
                      .rounding = rounding,
                      .digits = digits,
                      .threads = threads,
                      .samples = samples,
                      .seed = seed,
                      .given = std::move(given)};
  std::atomic<bool> stop{false};
  std::optional<Expected<GoldenFile>> file;
  RunInBackground(&stop, [&] { file = Make(request, &stop); });
  return ValueOf(std::move(*file));
}

void Save(const GoldenFile& file, const std::string& path, const std::string& encoding_name) {
  const auto encoding = oracle::EncodingFromName(encoding_name);
  if (!encoding) {
    throw Raised(ErrorKind::kUsage, "encoding: unknown value '" + encoding_name +
                                        "'; it is one of json, binary, csv, testfloat, header");
  }
  Check(base::WriteFileAtomically(path, EncodeGolden(file, *encoding)));
}

// The file of a path, derived again; "" or how its content differs.
py::tuple Verify(const std::string& path, int threads) {
  std::optional<Expected<GoldenFile>> file;
  std::string difference;
  std::atomic<bool> stop{false};
  RunInBackground(&stop, [&] {
    file = [&]() -> Expected<GoldenFile> {
      const auto content = base::ReadWholeFile(path);
      if (!content) return tl::unexpected(content.error());
      const auto intact = oracle::IsIntact(path, *content);
      if (!intact) return tl::unexpected(intact.error());
      auto decoded = oracle::DecodeGolden(path, *content);
      if (!decoded) return tl::unexpected(decoded.error());
      oracle::DeriveAll(&decoded->file, threads, &stop);
      const std::string derived = EncodeGolden(decoded->file, decoded->encoding);
      if (!*intact) {
        difference = "the content is not what its SHA-256 says: it was changed after it was made";
      } else if (derived != *content) {
        difference = DescribeDifference(decoded->encoding, *content, derived);
      }
      return std::move(decoded->file);
    }();
  });
  return py::make_tuple(ValueOf(std::move(*file)), difference);
}

}  // namespace

void BindGolden(py::module_& module) {
  py::class_<GoldenFile>(module, "GoldenFile")
      .def_property_readonly("columns", &ColumnsOf)
      .def("save", &Save);
  module.def("golden_make", &MakeFile);
  module.def("golden_verify", &Verify);
}

}  // namespace assay::python
