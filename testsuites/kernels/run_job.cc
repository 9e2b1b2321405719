#include "testsuites/kernels/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <variant>

namespace assay::testsuites {
namespace {

using interp::Address;
using interp::Argument;
using interp::Job;

Expected<std::vector<Address>> Allocate(const Job& job, interp::Memory* memory) {
  std::vector<Address> addresses;
  for (const interp::JobBuffer& buffer : job.buffers) {
    const auto address = interp::PlaceBuffer(memory, buffer, buffer.name);
    if (!address) return tl::unexpected<Error>(address.error());
    addresses.push_back(*address);
  }
  return addresses;
}

Argument ArgumentOf(const interp::JobArgument& argument, const std::vector<Address>& addresses) {
  if (const auto* use = std::get_if<interp::JobBufferUse>(&argument)) {
    return interp::BufferArgument{addresses.at(use->buffer) + use->offset};
  }
  if (const auto* bytes = std::get_if<interp::BytesArgument>(&argument)) return *bytes;
  if (const auto* local = std::get_if<interp::LocalArgument>(&argument)) return *local;
  if (const auto* queue = std::get_if<interp::QueueArgument>(&argument)) return *queue;
  return interp::BufferArgument{0};
}

}  // namespace

Expected<InterpreterOutcome> RunJob(const Job& job,
                                    const std::shared_ptr<const frontend::Module>& module,
                                    const interp::SessionOptions& session_options,
                                    const interp::LaunchOptions& launch_options) {
  auto session = interp::Session::Create(module, session_options);
  if (!session) return tl::unexpected<Error>(session.error());
  const auto addresses = Allocate(job, &(*session)->memory());
  if (!addresses) return tl::unexpected<Error>(addresses.error());

  InterpreterOutcome outcome;
  for (const interp::JobLaunch& launch : job.launches) {
    interp::LaunchRequest request{
        .kernel = launch.kernel, .range = launch.range, .options = launch_options};
    for (const interp::JobArgument& argument : launch.arguments) {
      request.arguments.push_back(ArgumentOf(argument, *addresses));
    }
    auto result = (*session)->Launch(request);
    if (!result) return tl::unexpected<Error>(result.error());
    std::move(result->findings.begin(), result->findings.end(),
              std::back_inserter(outcome.findings));
    outcome.output += result->output;
    for (const auto& [name, count] : result->instruction_counts) {
      outcome.instruction_counts[name] += count;
    }
    if (result->end == interp::LaunchEnd::kCompleted) continue;
    outcome.stopped = fmt::format("{}: {}: {}", launch.kernel, interp::LaunchEndName(result->end),
                                  result->message);
    break;
  }
  for (const Address address : *addresses) {
    const std::span<std::byte> bytes = (*session)->memory().Bytes(address);
    outcome.buffers.emplace_back(bytes.begin(), bytes.end());
  }
  return outcome;
}

}  // namespace assay::testsuites
