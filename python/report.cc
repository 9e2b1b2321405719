#include "python/report.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "python/errors.h"
#include "tools/run/finding_text.h"
#include "tools/run/junit.h"
#include "tools/run/sarif.h"

namespace py = pybind11;

namespace assay::python {
namespace {

using nlohmann::ordered_json;

const interp::JobBuffer& BufferAt(const Report& report, std::size_t place) {
  if (place >= report.run.buffers.size()) throw py::index_error("there is no such buffer");
  return report.run.buffers[place].buffer;
}

// What _result.py makes objects of.
std::string Summary(const Report& report) {
  const tools::RunReport& run = report.run;
  ordered_json json{
      {"end", interp::LaunchEndName(run.end)}, {"message", run.message},
      {"instructions", run.instructions},      {"seconds", run.seconds},
      {"undecided", run.is_undecided},         {"exit_code", tools::RunExitCode(run)},
      {"launches", ordered_json::array()},     {"findings", ordered_json::array()},
      {"hidden", ordered_json::array()},       {"expectations", ordered_json::array()},
      {"buffers", ordered_json::array()},      {"counts", run.counts}};
  for (const tools::ReportedLaunch& launch : run.launches) {
    json["launches"].push_back({{"kernel", launch.kernel},
                                {"local_size", launch.local_size},
                                {"instructions", launch.instructions}});
  }
  for (const auto& finding : run.findings) json["findings"].push_back(FindingToJson(finding));
  for (const auto& finding : run.hidden) json["hidden"].push_back(FindingToJson(finding));
  for (const tools::ReportedExpectation& one : run.expectations) {
    ordered_json met = nullptr;
    if (one.met) met = *one.met;
    json["expectations"].push_back({{"what", one.what}, {"met", met}, {"message", one.message}});
  }
  for (const tools::ReportedBuffer& one : run.buffers) {
    json["buffers"].push_back({{"name", one.buffer.name},
                               {"kind", one.buffer.Kind()},
                               {"type", one.buffer.type.component},
                               {"components", one.buffer.type.components},
                               {"stride", one.buffer.type.bytes},
                               {"count", one.buffer.count}});
  }
  if (run.runs) {
    json["runs"] = {{"what", run.runs->what},
                    {"done", run.runs->done},
                    {"with_findings", run.runs->with_findings},
                    {"exhausted", run.runs->exhausted}};
  }
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

py::bytes BufferBytes(const Report& report, std::size_t place) {
  const interp::JobBuffer& buffer = BufferAt(report, place);
  return {reinterpret_cast<const char*>(buffer.bytes.data()), buffer.bytes.size()};
}

// Copies a buffer's bytes into an array of the same size.
void CopyBuffer(const Report& report, std::size_t place, py::array to) {
  const interp::JobBuffer& buffer = BufferAt(report, place);
  if (static_cast<std::size_t>(to.nbytes()) != buffer.bytes.size()) {
    throw py::value_error("the array has another size than the buffer");
  }
  void* const data = to.mutable_data();
  const py::gil_scoped_release released;
  if (!buffer.bytes.empty()) std::memcpy(data, buffer.bytes.data(), buffer.bytes.size());
}

// low, high: the ends of each element's range, as bits; kinds: EnvelopeTag.  Where nothing else is
// known of an element, all devices have the run's.  False: the whole buffer is the same everywhere.
bool CopyEnvelope(const Report& report, std::size_t place, std::uint32_t width, py::array low,
                  py::array high, py::array_t<std::uint8_t> kinds) {
  const interp::JobBuffer& buffer = BufferAt(report, place);
  const std::size_t bytes = buffer.bytes.size();
  const std::size_t count = width == 0 ? 0 : bytes / width;
  const auto fits = [bytes](const py::array& array) {
    return static_cast<std::size_t>(array.nbytes()) == bytes;
  };
  if (width > 8 || !fits(low) || !fits(high) || static_cast<std::size_t>(kinds.size()) != count) {
    throw py::value_error("an array of another size");
  }
  auto* const low_bytes = static_cast<std::byte*>(low.mutable_data());
  auto* const high_bytes = static_cast<std::byte*>(high.mutable_data());
  std::copy(buffer.bytes.begin(), buffer.bytes.end(), low_bytes);
  std::copy(buffer.bytes.begin(), buffer.bytes.end(), high_bytes);
  std::fill_n(kinds.mutable_data(), count, std::uint8_t{0});
  const auto found = report.envelopes.find(place);
  if (found == report.envelopes.end()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t from = 0, to = 0;
    const interp::EnvelopeTag tag = found->second.Load(i * width, width, &from, &to);
    kinds.mutable_data()[i] = static_cast<std::uint8_t>(tag);
    if (tag != interp::EnvelopeTag::kNumbers && tag != interp::EnvelopeTag::kIntegers) continue;
    std::memcpy(low_bytes + i * width, &from, width);
    std::memcpy(high_bytes + i * width, &to, width);
  }
  return true;
}

std::string Text(const Report& report, bool color) {
  return tools::FindingsText(report.run, {.color = color, .folder = tools::CurrentFolder()});
}

}  // namespace

void BindReport(py::module_& module) {
  py::class_<Report>(module, "Report")
      .def_property_readonly("summary", &Summary)
      .def_property_readonly("output",
                             [](const Report& report) { return py::bytes(report.output); })
      .def("json",
           [](const Report& report) {
             return tools::RunReportToJson(report.run)
                 .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
           })
      .def("text", &Text)
      .def("sarif",
           [](const Report& report) {
             return tools::SarifOf(report.run, tools::CurrentFolder())
                 .dump(1, ' ', false, ordered_json::error_handler_t::replace);
           })
      .def("junit", [](const Report& report) { return tools::RunJUnit(report.run); })
      .def("buffer_bytes", &BufferBytes)
      .def("copy_buffer", &CopyBuffer)
      .def("copy_envelope", &CopyEnvelope);
}

}  // namespace assay::python
