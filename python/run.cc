// run and Job: a module with its options, and its runs.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <optional>

#include "base/limits.h"
#include "interp/job/job.h"
#include "interp/launch/launch.h"
#include "python/background.h"
#include "python/bindings.h"
#include "python/errors.h"
#include "python/report.h"
#include "python/run_options.h"
#include "tools/run/job_run.h"
#include "tools/run/many.h"
#include "tools/shared/interrupt.h"

namespace py = pybind11;

namespace assay::python {
namespace {

using Sizes = std::vector<std::uint64_t>;

const char* KindName(interp::ParameterKind kind) {
  constexpr const char* kNames[] = {"value", "byval",   "global", "constant", "local",
                                    "image", "sampler", "queue",  "pipe"};
  return kNames[static_cast<int>(kind)];
}

// What runs share that were asked for by the same options: the loaded module.
class Program {
 public:
  explicit Program(const py::dict& given) : options_(RunOptionsOf(given)) {
    InBackground([this] { Load(); });
  }

  std::vector<std::string> KernelNames() const { return Kernels().KernelNames(); }
  // (kind, name, type, bytes) of each parameter.
  py::list Parameters(const std::string& kernel) const {
    const interp::KernelInfo info = ValueOf(Kernels().FindKernel(kernel));
    py::list list;
    for (const interp::ParameterInfo& parameter : info.parameters) {
      list.append(py::make_tuple(KindName(parameter.kind), parameter.name, parameter.type,
                                 parameter.bytes));
    }
    return list;
  }

  Report Run(const std::string& kernel, const Sizes& global, const Sizes& local,
             const Sizes& offset, const py::list& buffers, const py::list& arguments) const {
    interp::Job job = job_;
    if (options_->job.empty()) {
      job.launches.push_back(
          {.kernel = kernel, .range = ValueOf(interp::MakeRange(global, local, offset))});
      for (const py::handle& buffer : buffers) AddBuffer(buffer.cast<py::tuple>(), &job);
      for (const py::handle& argument : arguments) AddArgument(argument.cast<py::tuple>(), &job);
    }
    std::optional<Expected<Report>> result;
    try {
      InBackground([&] { result = Execute(std::move(job)); });
    } catch (const py::error_already_set& interrupt) {
      // What the run came to until then goes with it.
      if (result && *result)
        py::setattr(interrupt.value(), "report", py::cast(std::move(**result)));
      throw;
    }
    return ValueOf(std::move(*result));
  }

 private:
  // Ctrl-C ends compilers and runs as it does those of the command line.
  template <typename Work>
  static void InBackground(const Work& work) {
    struct Reset {
      ~Reset() { tools::g_interrupted = false; }
    } reset;
    RunInBackground(&tools::g_interrupted, work);
  }

  // No thread watches this budget: it would end the whole process.
  void Load() {
    options_->budget = base::Budget::Start({.seconds = options_->timeout, .memory_bytes = 0});
    auto job = options_->job.empty() ? tools::ModulesOf(*options_) : tools::JobOf(*options_);
    job_ = ValueOf(std::move(job));
    if (!options_->sub_group_size.empty()) {
      job_.sub_group_size = static_cast<std::uint32_t>(std::stoul(options_->sub_group_size));
    }
    if (!options_->matrix.empty()) {
      if (auto good = interp::SetMatrix(options_->matrix, &job_); !good) {
        throw Raised(good.error().kind, "matrix: " + good.error().message);
      }
    }
    if (!options_->forward_progress.empty()) {
      const auto progress = interp::ForwardProgressFromName(options_->forward_progress);
      if (!progress) {
        throw Raised(ErrorKind::kUsage, "forward_progress: unknown value '" +
                                            options_->forward_progress +
                                            "'; it is one of none, sub-group, work-item");
      }
      job_.forward_progress = *progress;
    }
    prepared_ = ValueOf(tools::PrepareRun(job_, *options_));
    session_ = ValueOf(interp::Session::Create(prepared_.module));
  }

  const interp::Session& Kernels() const { return *session_; }

  // (name, type, array, readable, writable)
  static void AddBuffer(const py::tuple& given, interp::Job* job) {
    const auto array = given[2].cast<py::array>();
    const auto bytes = static_cast<std::size_t>(array.nbytes());
    interp::JobBuffer buffer{
        .name = given[0].cast<std::string>(),
        .type = ValueOf(interp::ParseElementType(given[1].cast<std::string>())),
        .readable = given[3].cast<bool>(),
        .writable = given[4].cast<bool>()};
    buffer.count = bytes / buffer.type.bytes;
    if (bytes > job->max_bytes - job->buffer_bytes) {
      throw Raised(ErrorKind::kDevice, "the arrays have more than max_memory, " +
                                           base::FormatBytes(job->max_bytes) + "; give more");
    }
    job->buffer_bytes += bytes;
    const void* const data = array.data();
    const py::gil_scoped_release released;
    buffer.bytes.resize(bytes);
    if (bytes != 0) std::memcpy(buffer.bytes.data(), data, bytes);
    job->buffers.push_back(std::move(buffer));
  }

  static void AddArgument(const py::tuple& given, interp::Job* job) {
    const auto kind = given[0].cast<std::string>();
    std::vector<interp::JobArgument>& arguments = job->launches.back().arguments;
    if (kind == "buffer") {
      arguments.emplace_back(
          interp::JobBufferUse{given[1].cast<std::size_t>(), given[2].cast<std::uint64_t>()});
    } else if (kind == "bytes") {
      const auto bytes = given[1].cast<std::string>();
      const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
      arguments.emplace_back(interp::BytesArgument{{begin, begin + bytes.size()}});
    } else if (kind == "local") {
      arguments.emplace_back(interp::LocalArgument{given[1].cast<std::uint64_t>()});
    } else if (kind == "null") {
      arguments.emplace_back(interp::JobNull{});
    } else {
      arguments.push_back(ValueOf(interp::ParseArgument(given[1].cast<std::string>(), job)));
    }
  }

  Expected<Report> Execute(interp::Job job) const {
    const tools::RunOptions& options = *options_;
    Report report;
    const base::Budget budget =
        base::Budget::Start({.seconds = options.timeout, .memory_bytes = 0});
    job.load.budget = budget;
    const auto bound = tools::ExploreBound(options);
    if (!bound) return tl::unexpected(bound.error());
    Expected<tools::RunReport> run = Fail(ErrorKind::kInternal, "no run");
    if (*bound) {
      run = tools::RunExploring(job, prepared_, **bound, options.max_runs);
    } else if (options.many_seeds > 1) {
      run = tools::RunSeeds(job, prepared_, options.many_seeds);
    } else {
      tools::RunVariant variant{.budget = budget,
                                .seed = options.seed,
                                .threads = options.threads,
                                .shows_output = false};
      variant.output = [&](std::string_view text) { report.output += text; };
      variant.envelope = [&](std::size_t buffer, const interp::EnvelopeRecord& record) {
        report.envelopes.emplace(buffer, record);
      };
      run = tools::RunOnce(std::move(job), prepared_, variant);
    }
    if (!run) return tl::unexpected(run.error());
    report.run = std::move(*run);
    // The command line does not have Python's arrays.
    if (options.job.empty()) {
      for (tools::ReportedFinding& finding : report.run.findings) finding.replay.clear();
      for (tools::ReportedExpectation& one : report.run.expectations) one.replay.clear();
    }
    return report;
  }

  std::unique_ptr<tools::RunOptions> options_;  // prepared_ has its address
  interp::Job job_;
  tools::PreparedRun prepared_;
  std::unique_ptr<interp::Session> session_;  // for what it knows of kernels
};

}  // namespace

void BindRun(py::module_& module) {
  BindReport(module);
  module.def("run_option_names", &RunOptionNames);
  py::class_<Program>(module, "Program")
      .def(py::init<const py::dict&>())
      .def("kernel_names", &Program::KernelNames)
      .def("parameters", &Program::Parameters)
      .def("run", &Program::Run);
}

}  // namespace assay::python
