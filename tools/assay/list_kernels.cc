#include "tools/assay/list_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "frontend/load.h"
#include "interp/launch.h"
#include "tools/assay/exit_code.h"
#include "tools/assay/output.h"
#include "tools/assay/run_options.h"

namespace assay::tools {
namespace {

constexpr std::string_view kSchema = "assay-kernels/1";

struct ListedKernel {
  std::string name;
  std::optional<interp::KernelInfo> info;  // nothing: its parameters cannot be described
  std::string reason;                      // why it cannot be executed; empty: it can be
};

std::string_view KindName(interp::ParameterKind kind) {
  switch (kind) {
    case interp::ParameterKind::kValue:
      return "value";
    case interp::ParameterKind::kByVal:
      return "structure";
    case interp::ParameterKind::kGlobal:
      return "global buffer";
    case interp::ParameterKind::kConstant:
      return "constant buffer";
    case interp::ParameterKind::kLocal:
      return "local memory";
  }
  return "";
}

std::vector<ListedKernel> KernelsOf(const interp::Session& session) {
  std::vector<ListedKernel> kernels;
  for (const std::string& name : session.KernelNames()) {
    ListedKernel kernel{.name = name, .info = {}, .reason = {}};
    if (auto info = session.FindKernel(name)) kernel.info = std::move(*info);
    if (auto good = session.CheckKernel(name); !good) kernel.reason = good.error().message;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::string ListText(const std::vector<ListedKernel>& kernels) {
  std::string text;
  for (const ListedKernel& kernel : kernels) {
    text += fmt::format("{}  {}\n", kernel.name, kernel.reason.empty() ? "runs" : "cannot run");
    if (kernel.info) {
      for (const interp::ParameterInfo& parameter : kernel.info->parameters) {
        text += fmt::format("    {}: {}, {}\n", parameter.name.empty() ? "?" : parameter.name,
                            parameter.type, KindName(parameter.kind));
      }
    }
    for (std::string_view rest = kernel.reason; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text += fmt::format("    {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return kernels.empty() ? "no kernels\n" : text;
}

nlohmann::ordered_json ListJson(const std::vector<ListedKernel>& kernels, const interp::Job& job) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ListedKernel& kernel : kernels) {
    nlohmann::ordered_json one = {{"name", kernel.name}, {"runs", kernel.reason.empty()}};
    if (!kernel.reason.empty()) one["reason"] = kernel.reason;
    if (kernel.info) {
      one["parameters"] = nlohmann::ordered_json::array();
      for (const interp::ParameterInfo& parameter : kernel.info->parameters) {
        one["parameters"].push_back({{"name", parameter.name},
                                     {"type", parameter.type},
                                     {"kind", KindName(parameter.kind)}});
      }
      if (kernel.info->required_local_size) {
        one["required_local_size"] = *kernel.info->required_local_size;
      }
    }
    list.push_back(std::move(one));
  }
  return {{"schema", kSchema}, {"modules", job.modules}, {"kernels", std::move(list)}};
}

}  // namespace

int ListKernels(const RunOptions& options) {
  const auto job = ModulesOf(options);
  if (!job) return ReportError(job.error());
  auto loaded = frontend::LoadModule(std::span(job->modules), job->load);
  if (!loaded) return ReportError(loaded.error());
  auto session = interp::Session::Create(loaded->module,
                                         {.max_memory = job->max_bytes,
                                          .budget = options.budget,
                                          .max_expanded = options.max_expanded});
  if (!session) return ReportError(session.error());
  const std::vector<ListedKernel> kernels = KernelsOf(**session);
  const int written = WriteResult(
      ListText(kernels), options.json.empty() ? nlohmann::ordered_json() : ListJson(kernels, *job),
      options.json);
  if (written != kExitConforming) return written;
  const bool any = std::ranges::any_of(
      kernels, [](const ListedKernel& kernel) { return kernel.reason.empty(); });
  return any ? kExitConforming : kExitUnsupported;
}

}  // namespace assay::tools
