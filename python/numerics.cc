// eval, ulp_error, judge, limits, hard_cases and functions.
#include "assay/numerics.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cstring>

#include "assay/judge.h"
#include "numerics/functions.h"
#include "numerics/hard_cases.h"
#include "numerics/near_names.h"
#include "oracle/judge/reading.h"
#include "python/background.h"
#include "python/bindings.h"
#include "python/errors.h"

namespace py = pybind11;

namespace assay::python {
namespace {

using api::Function;

// What takes less is not worth a thread of its own.
constexpr std::size_t kInBackground = std::size_t{1} << 15;

// Calls work(stop), without the global lock.
template <typename Work>
void Run(std::size_t count, const Work& work) {
  std::atomic<bool> stop{false};
  if (count >= kInBackground) {
    RunInBackground(&stop, [&] { work(&stop); });
    return;
  }
  const py::gil_scoped_release released;
  work(&stop);
}

std::vector<api::Column> ColumnsOf(const Function& function, const std::vector<py::array>& arrays,
                                   std::size_t count) {
  const std::vector<api::Slot>& slots = function.operands();
  if (arrays.size() != slots.size()) throw py::type_error("another number of operands");
  std::vector<api::Column> columns;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t item =
        SizeOf(slots[i].element) * static_cast<std::size_t>(slots[i].components);
    const auto bytes = static_cast<std::size_t>(arrays[i].nbytes());
    const bool repeats = bytes == item && count != 1;
    if (!repeats && bytes != item * count) throw py::value_error("an operand of another size");
    columns.push_back({arrays[i].data(), repeats});
  }
  return columns;
}

// The arrays of results, each of the size that it must have.
template <typename Pointer, typename Get>
std::vector<Pointer> PointersOf(const Function& function, std::vector<py::array>& arrays,
                                std::size_t count, std::size_t element_bytes, const Get& get) {
  const std::vector<api::Slot>& slots = function.results();
  if (arrays.size() != slots.size()) throw py::type_error("another number of results");
  std::vector<Pointer> pointers;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t element = element_bytes != 0 ? element_bytes : SizeOf(slots[i].element);
    const std::size_t bytes = count * element * static_cast<std::size_t>(slots[i].components);
    if (static_cast<std::size_t>(arrays[i].nbytes()) != bytes) {
      throw py::value_error("a result of another size");
    }
    pointers.push_back(get(arrays[i]));
  }
  return pointers;
}

void Evaluate(const Function& function, const std::vector<py::array>& operands,
              std::vector<py::array> results, std::size_t count, int rounding, int threads) {
  const auto columns = ColumnsOf(function, operands, count);
  const auto to = PointersOf<void*>(function, results, count, 0,
                                    [](py::array& array) { return array.mutable_data(); });
  Run(count, [&](const std::atomic<bool>* stop) {
    function.Evaluate(columns, to, count, static_cast<api::Rounding>(rounding), {threads, stop});
  });
}

void UlpErrors(const Function& function, const std::vector<py::array>& operands,
               std::vector<py::array> answers, std::vector<py::array> errors, std::size_t count,
               bool is_signed, bool is_exact, int threads) {
  const auto columns = ColumnsOf(function, operands, count);
  const auto from = PointersOf<const void*>(function, answers, count, 0,
                                            [](py::array& array) { return array.data(); });
  const auto to = PointersOf<double*>(
      function, errors, count, sizeof(double),
      [](py::array& array) { return static_cast<double*>(array.mutable_data()); });
  Run(count, [&](const std::atomic<bool>* stop) {
    function.UlpErrors(
        columns, from, to, count, is_signed ? api::ErrorSign::kSigned : api::ErrorSign::kMagnitude,
        is_exact ? api::ErrorDigits::kAll : api::ErrorDigits::kFast, {threads, stop});
  });
}

void JudgeAnswers(const api::Judge& judge, const Function& function,
                  const std::vector<py::array>& operands, std::vector<py::array> answers,
                  py::array_t<std::uint8_t> conforms, py::array_t<std::uint8_t> rules,
                  py::array_t<double> ulps, std::size_t count, int threads) {
  const auto columns = ColumnsOf(function, operands, count);
  const auto from = PointersOf<const void*>(function, answers, count, 0,
                                            [](py::array& array) { return array.data(); });
  const api::Verdicts verdicts{conforms.mutable_data(), rules.mutable_data(), ulps.mutable_data()};
  Run(count, [&](const std::atomic<bool>* stop) {
    judge.Answers(columns, from, count, verdicts, {threads, stop});
  });
}

api::Judge MakeJudge(const Function& function, int profile, int math, const std::string& reading,
                     int rounding, bool denormals, const std::string& build_options) {
  const auto known = oracle::ReadingFromName(reading);
  if (!known) {
    throw Raised(ErrorKind::kUsage,
                 "spec: unknown value '" + reading + "'; it is one of opencl-c, environment, cts");
  }
  return ValueOf(api::Judge::Make(function, {.profile = static_cast<api::Profile>(profile),
                                             .math = static_cast<api::Math>(math),
                                             .reading = static_cast<api::Reading>(*known),
                                             .rounding = static_cast<api::Rounding>(rounding),
                                             .denormals = denormals,
                                             .build_options = build_options}));
}

// (name, components) of each slot.
py::list SlotsOf(const std::vector<api::Slot>& slots) {
  py::list list;
  for (const api::Slot& slot : slots) {
    list.append(py::make_tuple(std::string(NameOf(slot.element)), slot.components));
  }
  return list;
}

// The rows as columns: the operands' bits, log2 of the distance, the kind, the source, whether it
// is flat.
py::tuple HardCases(const std::string& name, const std::string& format_name) {
  const auto function = numerics::FunctionFromName(name);
  const auto format = numerics::FormatFromName(format_name);
  if (!function || !format) throw Raised(ErrorKind::kUsage, "there is no such function or format");
  const auto rows = numerics::HardCaseRows(*function, *format);
  const int arity = numerics::Info(numerics::CasesOf(*function)).Arity();
  const auto size = static_cast<py::ssize_t>(rows.size());
  py::list operands;
  for (int i = 0; i < arity; ++i) {
    py::array_t<std::uint64_t> bits(size);
    std::uint64_t* to = bits.mutable_data();
    for (const numerics::HardCase& row : rows) *to++ = row.args[static_cast<std::size_t>(i)];
    operands.append(bits);
  }
  py::array_t<double> distances(size);
  py::array_t<bool> flat(size);
  py::list kinds, sources;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    distances.mutable_data()[i] = rows[i].log2_distance;
    flat.mutable_data()[i] = rows[i].is_flat;
    kinds.append(std::string(NameOf(rows[i].kind)));
    sources.append(std::string(NameOf(rows[i].source)));
  }
  const std::string of(numerics::Info(numerics::CasesOf(*function)).name);
  return py::make_tuple(of, operands, distances, kinds, sources, flat);
}

void BindFunction(py::module_& module) {
  py::class_<Function>(module, "Function")
      .def_property_readonly("name", &Function::name)
      .def_property_readonly("format", &Function::format)
      .def_property_readonly("operands", [](const Function& f) { return SlotsOf(f.operands()); })
      .def_property_readonly("results", [](const Function& f) { return SlotsOf(f.results()); })
      .def("evaluate", &Evaluate)
      .def("ulp_errors", &UlpErrors)
      .def("judge", &MakeJudge);
  module.def("find_function", [](const std::string& name, const std::string& format) {
    return ValueOf(Function::Find(name, format));
  });
}

}  // namespace

void BindNumerics(py::module_& module) {
  BindFunction(module);
  py::class_<api::Judge>(module, "Judge")
      .def_property_readonly("limit",
                             [](const api::Judge& judge) {
                               const api::LimitInfo& limit = judge.limit();
                               return py::make_tuple(limit.text, limit.clause, limit.kind,
                                                     limit.ulp);
                             })
      .def("answers", &JudgeAnswers);
  module.def("functions", [] {
    py::list list;
    for (const api::FunctionInfo& info : api::AllFunctions()) {
      list.append(py::make_tuple(info.name, info.function_class, info.operands, info.results,
                                 info.formats, info.expression));
    }
    return list;
  });
  module.def("hard_cases", &HardCases);
  module.def("rule_texts", [] {
    py::list list;
    for (int rule = 0; rule < api::RuleCount(); ++rule) {
      list.append(std::string(api::RuleText(static_cast<std::uint8_t>(rule))));
    }
    return list;
  });
  module.def("near_names", [](const std::string& name, const std::vector<std::string>& candidates) {
    return numerics::NearNames(name, candidates);
  });
}

}  // namespace assay::python
