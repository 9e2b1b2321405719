#include "interp/execute/print.h"

#include <fmt/format.h>

#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/execute/execute.h"
#include "interp/execute/printf.h"

namespace assay::interp {

PrintfOutput::PrintfOutput(Worker* worker)
    : worker_(*worker), launch_(worker->launch()), program_(*launch_.program) {}

std::string PrintfOutput::ReadText(RunningBatch& running, const FlatSync& sync, int lane,
                                   Address address) {
  std::string text;
  for (;; ++address) {
    const std::byte* byte =
        ResolveAccess(running.batch, sync.instruction, lane, address, 1, AccessKind::kLoad);
    if (byte == nullptr || *byte == std::byte{0} || text.size() > 65535) break;
    text.push_back(static_cast<char>(*byte));
  }
  worker_.Spend(text.size());
  return text;
}

void PrintfOutput::ReportAssert(RunningBatch& running, int lane, const FlatSync& sync,
                                const PrintfCall& call) {
  const auto bits = [&](std::size_t i) {
    return ReadLane(running, sync.operands[i], call.arguments[i].kind, lane);
  };
  const auto text = [&](std::size_t i) { return ReadText(running, sync, lane, bits(i)); };
  worker_.Report(running.batch, sync.instruction.place, lane, Rule::kAssertionFailed,
                 fmt::format("the assertion '{}' is false, in {} ({}:{})", text(0), text(3),
                             text(1), static_cast<std::int32_t>(bits(2))));
}

void PrintfOutput::Print(RunningBatch& running, int lane, const FlatSync& sync) {
  const PrintfCall& call = program_.printf_calls[sync.instruction.immediate];
  if (call.is_assert) return ReportAssert(running, lane, sync, call);
  const std::string format =
      ReadText(running, sync, lane, ReadLane(running, sync.operands[0], Kind::kI64, lane));
  std::vector<PrintfArgument> arguments;
  for (const PrintfCall::Argument& described : call.arguments) {
    PrintfArgument argument;
    argument.type = described.pointer         ? PrintfType::kPointer
                    : IsFloat(described.kind) ? PrintfType::kFloat
                                              : PrintfType::kInteger;
    argument.bits = static_cast<std::uint8_t>(BytesOf(described.kind) * 8);
    for (std::uint32_t i = 0; i < described.count; ++i) {
      argument.components.push_back(
          ReadLane(running, sync.operands[described.first + i], described.kind, lane));
    }
    if (described.pointer) {
      const Region* region = running.batch.FindRegion(argument.components[0]);
      // A constant variable of the module, not a buffer in constant memory (6.15.14.3).
      if (region != nullptr && region->host != nullptr && !region->writable && !region->is_buffer &&
          !region->is_constant_buffer) {
        argument.has_text = true;
        argument.text = ReadText(running, sync, lane, argument.components[0]);
      }
    }
    arguments.push_back(std::move(argument));
  }
  const PrintfResult result = FormatPrintf(format, arguments);
  text_ += result.text;
  worker_.Spend(result.text.size());
  if ((launch_.output_bytes += result.text.size()) + launch_.memory->used_bytes() >
      launch_.memory->max_bytes()) {
    launch_.Stop(LaunchEnd::kMemoryLimit,
                 fmt::format("printf's output needs more than the limit of {} bytes "
                             "(--max-memory)",
                             launch_.memory->max_bytes()));
  }
  if (launch_.options.debug != nullptr) Write();
  for (const PrintfResult::Problem& problem : result.problems) {
    worker_.Report(running.batch, sync.instruction.place, lane, problem.rule, problem.message);
  }
  if (!sync.results.empty()) {
    WriteLane(running, sync.results[0], sync.result_kinds[0], lane,
              static_cast<std::uint32_t>(result.value));
  }
}

// Under a debugger as soon as nothing of an earlier work-group can come before it.
void PrintfOutput::Write() {
  const std::lock_guard lock(launch_.mutex);
  if (worker_.group() != launch_.next_output || !launch_.options.output) return;
  launch_.options.output(std::string_view(text_).substr(written_));
  written_ = text_.size();
}

// Output appears in the order of work-groups, whichever thread ran them.
void PrintfOutput::Flush(std::uint64_t group) {
  if (program_.printf_calls.empty()) return;
  const std::lock_guard lock(launch_.mutex);
  const std::size_t written = std::exchange(written_, 0);
  launch_.waiting_output[group] = std::move(text_);
  text_.clear();
  for (auto first = launch_.waiting_output.begin();
       first != launch_.waiting_output.end() && first->first == launch_.next_output;
       first = launch_.waiting_output.erase(first)) {
    if (launch_.options.output) {
      const auto text = std::string_view(first->second).substr(first->first == group ? written : 0);
      if (!text.empty()) launch_.options.output(text);
      launch_.output_bytes -= first->second.size();
    } else {
      launch_.output += first->second;
    }
    ++launch_.next_output;
  }
}

}  // namespace assay::interp
