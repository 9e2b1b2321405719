#include "tools/hunt/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "tools/bisect/job_files.h"
#include "tools/hunt/generate.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

std::string VerdictFile(const HuntFinding& finding, const std::string& standard) {
  std::string text = fmt::format("{}: {}\n\n{}\n", finding.verdict, finding.cause, finding.text);
  text += fmt::format("what: {}\n", finding.what);
  if (finding.module) {
    text += fmt::format("given as: hunted.spv, {}\n", ModuleText(*finding.module));
    text +=
        fmt::format("built with: {}\n", finding.options.empty() ? "no options" : finding.options);
  } else {
    text += fmt::format("built with: -cl-std={}{}{}\n", standard,
                        finding.options.empty() ? "" : " ", finding.options);
  }
  text += fmt::format("wrong: {}\n", finding.passes);
  text += fmt::format("{} work-items in groups of {}\n", finding.items, finding.local);
  for (const std::string& clause : finding.clauses) text += fmt::format("clause: {}\n", clause);
  text += fmt::format("second: {}\n", finding.second);
  return text + "shown by: hunted.c, or `assay judge hunted.json --bisect --opencl NAME`\n";
}

ordered_json ModuleJson(const std::optional<HuntModule>& module) {
  if (!module) return nullptr;
  return {{"compiler_options", module->options}, {"forms", module->forms}};
}

}  // namespace

std::string ModuleText(const HuntModule& module) {
  return fmt::format("compiled with {}, {}", module.options,
                     module.forms.empty()
                         ? "as the compiler wrote it"
                         : fmt::format("rewritten: {}", fmt::join(module.forms, ", ")));
}

std::set<std::string> CausesIn(const std::string& cause) {
  std::set<std::string> causes;
  std::string name = cause.substr(0, cause.find(' '));
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('+', at), name.size());
    causes.insert(name.substr(at, end - at));
    at = end + 1;
  }
  causes.erase("store");
  return causes;
}

std::string GroupName(const std::vector<std::string>& causes, HuntVerdict verdict) {
  constexpr std::size_t kMostCauses = 8;
  std::string name = causes.empty()                ? "store"
                     : causes.size() > kMostCauses ? std::string(kUnreduced)
                                                   : fmt::format("{}", fmt::join(causes, "+"));
  if (verdict == HuntVerdict::kNotBuilt) name += " not built";
  if (verdict == HuntVerdict::kEnded) name += " crash";
  return name;
}

std::vector<std::string> ClausesOf(const std::vector<std::string>& causes) {
  std::vector<std::string> clauses;
  const auto add = [&](std::string_view name, std::string_view clause) {
    if (std::ranges::find(causes, name) == causes.end()) return;
    // Statements are C99's.
    std::string text =
        fmt::format("{}{} ({})", clause.starts_with("C99") ? "" : "OpenCL C ", clause, name);
    if (std::ranges::find(clauses, text) == clauses.end()) clauses.push_back(std::move(text));
  };
  for (const HuntOperation& row : HuntOperations()) add(row.name, row.clause);
  for (const HuntFeature* row : HuntFeatures()) add(row->name, row->clause);
  const HuntFormSet forms = FormsOf({causes.begin(), causes.end()});
  for (std::size_t i = 0; i < HuntForms().size(); ++i) {
    const HuntForm& form = HuntForms()[i];
    if ((forms >> i & 1) != 0)
      clauses.push_back(fmt::format("SPIR-V {} ({})", form.clause, form.name));
  }
  if (std::ranges::find(causes, "barrier") != causes.end())
    clauses.emplace_back("OpenCL C 6.15.8 (barrier)");
  return clauses;
}

std::vector<std::string> TypesIn(const HuntProgram& program) {
  std::set<std::string> types;
  ForEachExpr(program, [&](const HuntExpr& expr) {
    if (!expr.cause.empty()) types.insert(NameOf(expr.type));
  });
  return {types.begin(), types.end()};
}

ordered_json HuntFindingJson(const HuntFinding& finding) {
  return {{"cause", finding.cause},
          {"verdict", finding.verdict},
          {"types", finding.types},
          {"clauses", finding.clauses},
          {"passes", finding.passes},
          {"build_options", finding.options},
          {"module", ModuleJson(finding.module)},
          {"items", finding.items},
          {"local", finding.local},
          {"program", finding.program},
          {"lines", finding.lines},
          {"what", finding.what},
          {"second", finding.second},
          {"programs", finding.count},
          {"folder", finding.folder},
          {"text", finding.text}};
}

std::optional<HuntFinding> HuntFindingFromJson(const ordered_json& json) {
  HuntFinding finding;
  try {
    json.at("cause").get_to(finding.cause);
    json.at("verdict").get_to(finding.verdict);
    json.at("types").get_to(finding.types);
    json.at("clauses").get_to(finding.clauses);
    json.at("passes").get_to(finding.passes);
    json.at("build_options").get_to(finding.options);
    if (const auto& module = json.at("module"); !module.is_null()) {
      finding.module.emplace();
      module.at("compiler_options").get_to(finding.module->options);
      module.at("forms").get_to(finding.module->forms);
    }
    json.at("items").get_to(finding.items);
    json.at("local").get_to(finding.local);
    json.at("program").get_to(finding.program);
    json.at("lines").get_to(finding.lines);
    json.at("what").get_to(finding.what);
    json.at("second").get_to(finding.second);
    json.at("programs").get_to(finding.count);
    json.at("folder").get_to(finding.folder);
    json.at("text").get_to(finding.text);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return finding;
}

Expected<void> WriteFinding(const std::string& folder, const HuntFinding& finding,
                            const HuntReduction& reduction, const std::string& standard) {
  interp::Job job = JobOf(reduction.program, reduction.setting, standard, "hunted.cl");
  const std::size_t first = job.buffers.size() - reduction.right.size();
  for (std::size_t i = 0; i < reduction.right.size(); ++i) {
    interp::HostBytes bytes(reduction.right[i].size());
    std::ranges::copy(reduction.right[i], bytes.begin());
    job.expected_buffers.push_back({first + i, std::nullopt, std::move(bytes)});
  }
  if (reduction.setting.spirv) {
    job.modules = {"hunted.spv"};
    job.load.compile.build_options = reduction.setting.options;
  }
  auto files = WriteJobFiles(folder, "hunted", finding.text, job);
  if (!files) return tl::unexpected(files.error());
  std::optional<frontend::Binary> module;
  if (reduction.setting.spirv) {
    auto made = ModuleOf(folder + "/hunted.cl", standard, *reduction.setting.spirv);
    if (!made) return tl::unexpected(made.error());
    module = std::move(*made);
    const auto bytes = std::as_bytes(std::span(module->words));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (auto good = base::WriteFileAtomically(folder + "/hunted.spv", text); !good) return good;
  }
  const std::pair<const char*, std::string> texts[] = {
      {"hunted.c", HostProgram(finding, job, reduction, module)},
      {"verdict.txt", VerdictFile(finding, standard)},
      // Last: where it is, the finding is whole.
      {kFindingFile, base::JsonText(HuntFindingJson(finding), 1) + "\n"}};
  for (const auto& [name, text] : texts) {
    if (auto good = base::WriteFileAtomically(folder + "/" + name, text); !good) return good;
  }
  return {};
}

}  // namespace assay::tools
