// The options of a run as Python gives them.
#include "python/run_options.h"

#include <pybind11/stl.h>

#include <functional>
#include <map>

#include "python/errors.h"

namespace py = pybind11;

namespace assay::python {
namespace {

using Setter = std::function<void(tools::RunOptions*, const py::handle&)>;

template <typename T>
Setter Set(T tools::RunOptions::*member) {
  return [member](tools::RunOptions* options, const py::handle& value) {
    options->*member = value.cast<T>();
  };
}

const std::map<std::string, Setter>& Setters() {
  static const std::map<std::string, Setter> setters = {
      {"modules", Set(&tools::RunOptions::modules)},
      {"job", Set(&tools::RunOptions::job)},
      {"build_options", Set(&tools::RunOptions::build_options)},
      {"compiler", Set(&tools::RunOptions::compiler)},
      {"spec_constants", Set(&tools::RunOptions::spec_constants)},
      {"allow_read", Set(&tools::RunOptions::allow_read)},
      {"forward_progress", Set(&tools::RunOptions::forward_progress)},
      {"sub_group_size", Set(&tools::RunOptions::sub_group_size)},
      {"device_queue", Set(&tools::RunOptions::device_queue)},
      {"matrix", Set(&tools::RunOptions::matrix)},
      {"seed", Set(&tools::RunOptions::seed)},
      {"rounding", Set(&tools::RunOptions::rounding)},
      {"flush_to_zero", Set(&tools::RunOptions::flush_to_zero)},
      {"timeout", Set(&tools::RunOptions::timeout)},
      {"max_instructions", Set(&tools::RunOptions::max_instructions)},
      {"max_findings", Set(&tools::RunOptions::max_findings)},
      {"max_memory", Set(&tools::RunOptions::max_memory)},
      {"threads", Set(&tools::RunOptions::threads)},
      {"detect", Set(&tools::RunOptions::detect)},
      {"ignore", Set(&tools::RunOptions::ignore)},
      {"allow", Set(&tools::RunOptions::allow)},
      {"envelope", Set(&tools::RunOptions::envelope)},
      {"imprecision", Set(&tools::RunOptions::imprecision)},
      {"profile", Set(&tools::RunOptions::profile)},
      {"keeps_subnormals", Set(&tools::RunOptions::keeps_subnormals)},
      {"cl_version", Set(&tools::RunOptions::cl_version)},
      {"many_seeds", Set(&tools::RunOptions::many_seeds)},
      {"explore", Set(&tools::RunOptions::explore)},
      {"max_runs", Set(&tools::RunOptions::max_runs)},
      {"counts", Set(&tools::RunOptions::counts)},
  };
  return setters;
}

}  // namespace

std::vector<std::string> RunOptionNames() {
  std::vector<std::string> names;
  for (const auto& [name, setter] : Setters()) names.push_back(name);
  return names;
}

std::unique_ptr<tools::RunOptions> RunOptionsOf(const py::dict& given) {
  auto options = std::make_unique<tools::RunOptions>();
  options->quiet = true;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    const auto setter = Setters().find(name);
    if (setter == Setters().end()) throw py::type_error("there is no option '" + name + "'");
    try {
      setter->second(options.get(), value);
    } catch (const py::cast_error&) {
      throw py::type_error("the option '" + name +
                           "' has a value of another type: " + py::repr(value).cast<std::string>());
    }
  }
  return options;
}

}  // namespace assay::python
