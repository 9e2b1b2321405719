#include "tools/run/list_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "frontend/load.h"
#include "interp/launch/launch.h"
#include "tools/run/options.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

constexpr std::string_view kSchema = "assay-kernels/1";

struct ListedKernel {
  std::string name;
  std::optional<interp::KernelInfo> info;  // nothing: its parameters cannot be described
  std::vector<std::uint64_t>
      bytes;           // of each parameter, or of the type that it points to; 0: unknown
  std::string reason;  // why it cannot be executed; empty: it can be
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
    case interp::ParameterKind::kPipe:
      return "pipe";
    case interp::ParameterKind::kLocal:
      return "local memory";
    case interp::ParameterKind::kImage:
      return "image";
    case interp::ParameterKind::kSampler:
      return "sampler";
    case interp::ParameterKind::kQueue:
      return "queue";
  }
  return "";
}

// How large a value is, and an element of a buffer: a structure's size is seen nowhere else.
std::vector<std::uint64_t> BytesOf(const frontend::Module& module, const std::string& kernel) {
  std::vector<std::uint64_t> bytes;
  const frontend::EntryPoint* entry = module.FindKernel(kernel);
  const frontend::Function* function =
      entry == nullptr ? nullptr : module.FindFunction(entry->function);
  if (function == nullptr) return bytes;
  for (const frontend::Parameter& parameter : function->parameters.Of(module.parameters)) {
    const frontend::Type* type = module.types.Find(parameter.type);
    if (type != nullptr && type->kind == frontend::TypeKind::kPointer) {
      type = module.types.Find(type->element);
    }
    bytes.push_back(type == nullptr ? 0 : type->size);
  }
  return bytes;
}

std::vector<ListedKernel> KernelsOf(const interp::Session& session) {
  std::vector<ListedKernel> kernels;
  for (const std::string& name : session.KernelNames()) {
    ListedKernel kernel{.name = name, .info = {}, .bytes = {}, .reason = {}};
    if (auto info = session.FindKernel(name)) kernel.info = std::move(*info);
    kernel.bytes = BytesOf(session.module(), name);
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
      for (std::size_t i = 0; i < kernel.info->parameters.size(); ++i) {
        const interp::ParameterInfo& parameter = kernel.info->parameters[i];
        text += fmt::format("    {}: {}, {}", parameter.name.empty() ? "?" : parameter.name,
                            parameter.type, KindName(parameter.kind));
        const bool is_structure = parameter.type.starts_with("struct ");
        if (is_structure && i < kernel.bytes.size() && kernel.bytes[i] != 0) {
          text += fmt::format("; the structure has {} bytes", kernel.bytes[i]);
        }
        text += "\n";
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
      for (std::size_t i = 0; i < kernel.info->parameters.size(); ++i) {
        const interp::ParameterInfo& parameter = kernel.info->parameters[i];
        one["parameters"].push_back({{"name", parameter.name},
                                     {"type", parameter.type},
                                     {"kind", KindName(parameter.kind)}});
        if (i < kernel.bytes.size() && kernel.bytes[i] != 0) {
          one["parameters"].back()["element_bytes"] = kernel.bytes[i];
        }
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
  auto session = interp::Session::Create(loaded->module, {.max_memory = job->max_bytes,
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
