#include "assay/session.h"

#include "frontend/load.h"
#include "frontend/loader.h"
#include "frontend/opencl_c.h"
#include "interp/launch/launch.h"
#include "interp/rules/detector_list.h"
#include "interp/rules/rule.h"

namespace assay::api {
inline namespace v1 {
namespace {

Error ErrorOf(const assay::Error& error) {
  return {static_cast<ErrorKind>(error.kind), error.message};
}

Result<frontend::CompileOptions> Internal(const CompileOptions& options) {
  frontend::CompileOptions made;
  made.build_options = options.build_options;
  made.options_from = frontend::OptionsFrom::kCommandLine;
  for (const std::string& folder : options.readable) made.reads.Add(folder);
  if (!options.compiler.empty()) {
    const auto compiler = frontend::ParseCompiler(options.compiler);
    if (!compiler) return ErrorOf(compiler.error());
    made.compiler = *compiler;
  }
  return made;
}

bool HasFittingSizes(const Range& range) {
  const auto fits = [&](const std::vector<std::uint64_t>& sizes) {
    return sizes.empty() || sizes.size() == range.global.size();
  };
  return !range.global.empty() && range.global.size() <= 3 && fits(range.local) &&
         fits(range.offset);
}

interp::NdRange Internal(const Range& range) {
  interp::NdRange made{.dimensions = static_cast<int>(range.global.size())};
  std::copy(range.global.begin(), range.global.end(), made.global.begin());
  std::copy(range.offset.begin(), range.offset.end(), made.offset.begin());
  if (!range.local.empty()) {
    made.local = {1, 1, 1};
    std::copy(range.local.begin(), range.local.end(), made.local->begin());
  }
  return made;
}

interp::Argument Internal(const Argument& argument) {
  if (const auto* bytes = std::get_if<Bytes>(&argument)) {
    return interp::BytesArgument{bytes->bytes};
  }
  if (const auto* buffer = std::get_if<Buffer>(&argument)) {
    return interp::BufferArgument{buffer->address};
  }
  return interp::LocalArgument{std::get<LocalMemory>(argument).bytes};
}

Finding FindingOf(interp::Finding finding) {
  return {.rule = std::string(interp::NameOf(finding.rule)),
          .finding_class = std::string(interp::FindingClassName(finding.finding_class)),
          .message = std::move(finding.message),
          .source = std::move(finding.source),
          .instruction = std::move(finding.instruction),
          .global_id = finding.global_id,
          .history = std::move(finding.history),
          .count = finding.count};
}

}  // namespace

struct Module::Impl {
  std::shared_ptr<const frontend::Module> module;
};

Result<Module> Module::Compile(std::string_view source, std::string name,
                               const CompileOptions& options) {
  const auto internal = Internal(options);
  if (!internal) return internal.error();
  auto compiled = frontend::CompileSource(std::string(source), name, "", *internal);
  if (!compiled) return ErrorOf(compiled.error());
  auto loaded = frontend::LoadModule(std::span(&compiled->binary, 1), {});
  if (!loaded) return ErrorOf(loaded.error());
  return Module(std::make_shared<Impl>(Impl{std::move(loaded->module)}));
}

Result<Module> Module::FromBytes(std::span<const std::byte> bytes, std::string name) {
  auto binary = frontend::LoadBytes(bytes, std::move(name));
  if (!binary) return ErrorOf(binary.error());
  auto loaded = frontend::LoadModule(std::span(&*binary, 1), {});
  if (!loaded) return ErrorOf(loaded.error());
  return Module(std::make_shared<Impl>(Impl{std::move(loaded->module)}));
}

Result<Module> Module::Load(std::span<const std::string> paths, const CompileOptions& options) {
  const auto internal = Internal(options);
  if (!internal) return internal.error();
  auto loaded = frontend::LoadModule(paths, {.compile = *internal});
  if (!loaded) return ErrorOf(loaded.error());
  return Module(std::make_shared<Impl>(Impl{std::move(loaded->module)}));
}

struct Session::Impl {
  std::unique_ptr<interp::Session> session;
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::Make(const Module& module, const SessionOptions& options) {
  const auto detectors = interp::ParseDetectorList(options.detect);
  if (!detectors) {
    return Error{ErrorKind::kUsage,
                 "detect: '" + options.detect + "' is no list of detectors" +
                     (detectors.error().unknown.empty()
                          ? ""
                          : ": there is no '" + detectors.error().unknown + "'")};
  }
  interp::SessionOptions internal;
  internal.detectors = *detectors;
  internal.rounding = static_cast<numerics::Rounding>(options.rounding);
  internal.flush_to_zero = options.flush_to_zero;
  internal.max_memory = options.max_memory;
  internal.placement_seed = options.placement_seed;
  auto session = interp::Session::Create(module.impl().module, internal);
  if (!session) return ErrorOf(session.error());
  return Session(std::make_unique<Impl>(Impl{std::move(*session)}));
}

std::vector<std::string> Session::KernelNames() const { return impl_->session->KernelNames(); }

Result<std::vector<std::string>> Session::ParameterTypes(std::string_view kernel) const {
  const auto info = impl_->session->FindKernel(kernel);
  if (!info) return ErrorOf(info.error());
  std::vector<std::string> types;
  for (const interp::ParameterInfo& parameter : info->parameters) types.push_back(parameter.type);
  return types;
}

Result<Buffer> Session::Allocate(std::uint64_t bytes, std::string name) {
  const auto address =
      impl_->session->memory().Allocate(bytes, interp::AddressSpace::kGlobal, std::move(name));
  if (!address) return ErrorOf(address.error());
  return Buffer{*address};
}

std::span<std::byte> Session::Contents(Buffer buffer) {
  return impl_->session->memory().Bytes(buffer.address);
}

Result<std::monostate> Session::Release(Buffer buffer) {
  const auto released = impl_->session->memory().Release(buffer.address);
  if (!released) return ErrorOf(released.error());
  return std::monostate{};
}

Result<Launch> Session::Run(std::string_view kernel, const Range& range,
                            std::span<const Argument> arguments, const LaunchOptions& options) {
  if (!HasFittingSizes(range)) {
    return Error{
        ErrorKind::kUsage,
        "an index space has one to three dimensions, and its local size and offset as many"};
  }
  interp::LaunchRequest request{.kernel = std::string(kernel), .range = Internal(range)};
  for (const Argument& argument : arguments) request.arguments.push_back(Internal(argument));
  request.options.threads = options.threads;
  request.options.seed = options.seed;
  request.options.max_instructions = options.max_instructions;
  request.options.timeout_seconds = options.timeout_seconds;
  request.options.max_findings = options.max_findings;
  request.options.output = options.output;
  if (options.stop != nullptr) {
    request.options.should_stop = [stop = options.stop] { return stop->load(); };
  }
  auto launched = impl_->session->Launch(request);
  if (!launched) return ErrorOf(launched.error());
  Launch launch{.completed = launched->end == interp::LaunchEnd::kCompleted,
                .end = std::string(interp::LaunchEndName(launched->end)),
                .message = std::move(launched->message),
                .findings = {},
                .output = std::move(launched->output),
                .instructions = launched->instructions};
  for (interp::Finding& finding : launched->findings) {
    launch.findings.push_back(FindingOf(std::move(finding)));
  }
  return launch;
}

}  // namespace v1
}  // namespace assay::api
