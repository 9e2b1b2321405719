#include "testsuites/kernels/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "interp/job/pipe.h"

namespace assay::testsuites {
namespace {

using interp::Address;
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

}  // namespace

Expected<InterpreterOutcome> RunJob(const Job& job,
                                    const std::shared_ptr<const frontend::Module>& module,
                                    const interp::SessionOptions& session_options,
                                    const interp::LaunchOptions& launch_options) {
  interp::SessionOptions options = session_options;
  if (!job.matrix.empty()) {
    options.matrix = job.matrix;
    options.matrix_text = job.matrix_text;
  }
  auto session = interp::Session::Create(module, options);
  if (!session) return tl::unexpected<Error>(session.error());
  const auto addresses = Allocate(job, &(*session)->memory());
  if (!addresses) return tl::unexpected<Error>(addresses.error());

  InterpreterOutcome outcome;
  for (const interp::JobLaunch& launch : job.launches) {
    interp::LaunchRequest request{
        .kernel = launch.kernel, .range = launch.range, .options = launch_options};
    for (const interp::JobArgument& argument : launch.arguments) {
      request.arguments.push_back(interp::ArgumentOf(job, argument, *addresses));
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
  for (std::size_t i = 0; i < addresses->size(); ++i) {
    interp::JobBuffer buffer = job.buffers[i].WithoutBytes();
    interp::TakeBuffer(&(*session)->memory(), (*addresses)[i], &buffer);
    outcome.buffers.emplace_back(buffer.bytes.begin(), buffer.bytes.end());
  }
  return outcome;
}

}  // namespace assay::testsuites
