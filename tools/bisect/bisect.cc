#include "tools/bisect/bisect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "tools/bisect/c_types.h"
#include "tools/bisect/job_files.h"
#include "tools/bisect/reduce.h"
#include "tools/bisect/search.h"
#include "tools/bisect/subject.h"
#include "tools/run/report.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

std::string OperandText(const frontend::Module& module, const TracedValue& value) {
  const CTypes types(module);
  const std::string component = types.Component(module.TypeOf(value.id));
  const auto type =
      interp::ParseElementType(component == "bool" || component == "char" ? "uchar" : component);
  std::string text = module.Describe(value.id) + ":";
  for (const std::uint64_t bits : value.bits) {
    const std::vector<numerics::Bits> one = {bits};
    text += " " + (type ? interp::FormatElement(*type, one) : fmt::format("{:#x}", bits));
  }
  return text;
}

void Describe(const Subject& subject, BisectReport* report) {
  const Divergence& found = *report->found;
  const frontend::Module& module = subject.module();
  report->global_id = subject.GlobalId(found.item);
  for (const TracedValue& one : found.operands) {
    report->operands.push_back(OperandText(module, one));
  }
  const frontend::Instruction* one = module.Definition(found.value);
  if (one == nullptr) return;
  report->instruction = module.Text(*one);
  const auto place = static_cast<std::size_t>(one - module.instructions.data());
  if (place >= module.debug_info.locations.size()) return;
  const frontend::SourceLocation& location = module.debug_info.locations[place];
  if (location.IsKnown()) report->source = DescribeLocation(module.debug_info, location);
}

// Of a job with several launches the first whose results are not allowed, with the memory that the
// driver gives it; false where all are.
Expected<bool> KeepOne(Subject* subject, Trials* trials, std::string* doubt) {
  std::size_t right = 0, wrong = subject->job().launches.size();
  const auto is_wrong = [&](std::size_t launches) -> Expected<bool> {
    const auto outcome = trials->Run(subject->First(launches), false);
    if (!outcome) return tl::unexpected(outcome.error());
    *doubt = outcome->Doubt();
    return !outcome->violations.empty() && outcome->open.empty();
  };
  auto all = is_wrong(wrong);
  if (!all || !*all) return all;
  while (right + 1 < wrong) {
    const std::size_t middle = (right + wrong) / 2;
    const auto found = is_wrong(middle);
    if (!found) return found;
    (*found ? wrong : right) = middle;
  }
  std::vector<std::vector<std::byte>> memory;
  if (right != 0) {
    auto before = trials->Drive(subject->First(right));
    if (!before) return tl::unexpected(before.error());
    memory = std::move(*before);
  }
  if (auto kept = subject->Keep(right, std::move(memory)); !kept) {
    return tl::unexpected(kept.error());
  }
  return true;
}

Expected<void> CheckKernel(const TrialOutcome& outcome, const std::string& input) {
  if (outcome.findings.empty()) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: the kernel has undefined behavior, so a driver may compute "
                          "anything:\n{}",
                          input, outcome.findings[0]));
}

}  // namespace

Expected<BisectReport> Bisect(const BisectOptions& options) {
  auto subject = Subject::Load(options.input, options.timeout, options.max_memory);
  if (!subject) return tl::unexpected(subject.error());
  BisectReport report;
  Trials trials(options.platform, options.timeout, options.max_memory);
  trials.Define(subject->macros());
  report.launches = subject->job().launches.size();
  report.kernel = subject->kernel();
  if (report.launches > 1) {
    const auto is_wrong = KeepOne(&*subject, &trials, &report.undecided);
    if (!is_wrong) return tl::unexpected(is_wrong.error());
    report.device = trials.device();
    report.driver = trials.driver();
    report.runs = trials.runs();
    if (!*is_wrong) return report;
    report.kernel = subject->kernel();
  }
  const auto first = trials.Run(subject->job(), true);
  if (!first) return tl::unexpected(first.error());
  report.device = trials.device();
  report.driver = trials.driver();
  report.runs = trials.runs();
  if (auto good = CheckKernel(*first, options.input); !good) return tl::unexpected(good.error());
  report.undecided = first->Doubt();
  if (first->violations.empty() || !first->open.empty()) return report;
  const Violation& output = first->violations[0];
  report.output = subject->job().buffers[output.buffer].name + " " + output.text;
  Search search(*subject, &trials);
  auto found = search.Run(output);
  // Images and sub-groups are not written as OpenCL C; that the driver is wrong is known.
  const bool is_unwritten = !found && found.error().kind == ErrorKind::kUnsupported;
  if (!found && !is_unwritten) return tl::unexpected(found.error());
  if (is_unwritten) report.not_searched = found.error().message;
  if (found) report.found = std::move(*found);
  if (report.found) {
    Describe(*subject, &report);
    auto reduced = Reduce(*subject, &trials, search, *report.found);
    if (!reduced) return tl::unexpected(reduced.error());
    report.reduced = std::move(*reduced);
  }
  if (report.reduced && !options.folder.empty()) {
    auto files = WriteJobFiles(options.folder, report.kernel + "-reduced", report.reduced->text,
                               report.reduced->job);
    if (!files) return tl::unexpected(files.error());
    report.files = std::move(*files);
  }
  report.runs = trials.runs();
  return report;
}

std::string BisectText(const BisectReport& report) {
  std::string text =
      fmt::format("kernel '{}' on {} ({})\n", report.kernel, report.device, report.driver);
  if (report.output.empty()) {
    return text + (report.undecided.empty() ? "all that the driver leaves is allowed\n"
                                            : fmt::format("not decidable: {}\n", report.undecided));
  }
  text += fmt::format("  left: {}\n", report.output);
  if (!report.not_searched.empty()) {
    return text + fmt::format("the first divergence is not looked for: {}\n", report.not_searched);
  }
  if (!report.found) {
    return text +
           "not found: the kernel as it is written for the search computes what is allowed, with "
           "and without each value written out\n";
  }
  const Divergence& found = *report.found;
  text += fmt::format("first divergence: {}{}{}\n", report.source,
                      report.source.empty() ? "" : ": ", report.instruction);
  text += fmt::format("  work-item ({}), time {}, after {} values that are allowed\n",
                      fmt::join(report.global_id, ","), found.occurrence + 1, found.values_before);
  text += found.is_path ? "  the driver goes another way: it does not compute this value here\n"
                        : fmt::format("  {}\n", found.allowed);
  if (!found.is_path && !found.is_confirmed) {
    text += "  a kernel that writes out this value alone computes it right\n";
  }
  for (const std::string& one : report.operands) text += "  operand " + one + "\n";
  if (report.reduced) {
    text += fmt::format("a small kernel that shows it ({}):\n{}\n  {}\n", report.reduced->how,
                        base::Indented(report.reduced->text), report.reduced->allowed);
  } else {
    text += "no smaller kernel shows it\n";
  }
  for (const std::string& file : report.files) text += "  written: " + file + "\n";
  return text +
         fmt::format("{} of the driver\n", Times(static_cast<std::uint64_t>(report.runs), "run"));
}

ordered_json BisectJson(const BisectReport& report) {
  ordered_json json = {{"schema", kBisectSchema},       {"kernel", report.kernel},
                       {"device", report.device},       {"driver_version", report.driver},
                       {"runs", report.runs},           {"output", report.output},
                       {"undecided", report.undecided}, {"not_searched", report.not_searched}};
  json["found"] = nullptr;
  json["reduced"] = nullptr;
  if (report.found) {
    json["found"] = {{"source", report.source},
                     {"instruction", report.instruction},
                     {"global_id", report.global_id},
                     {"occurrence", report.found->occurrence},
                     {"values_before", report.found->values_before},
                     {"is_path", report.found->is_path},
                     {"is_confirmed", report.found->is_confirmed},
                     {"allowed", report.found->allowed},
                     {"operands", report.operands}};
  }
  if (report.reduced) {
    json["reduced"] = {{"how", report.reduced->how},
                       {"text", report.reduced->text},
                       {"allowed", report.reduced->allowed},
                       {"files", report.files}};
  }
  return json;
}

}  // namespace assay::tools
