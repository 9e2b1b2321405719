// @limits: memory, arguments and queries of kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "oracle/checks/limits.h"

namespace assay::oracle {

std::uint64_t Number(const QueryAnswer& answer) {
  std::uint64_t number = 0;
  std::memcpy(&number, answer.value.data(), std::min<std::size_t>(8, answer.size));
  return number;
}

Expected<QueryAnswer> AskKernelOnce(CheckRun& run, const std::string& source,
                                    HostQuestion::Subject subject, std::uint32_t what,
                                    std::uint64_t room) {
  KernelRequest request{.source = source, .options = run.facts().Standard(), .kernel = "ask"};
  request.questions = {{.subject = subject, .what = what, .room = room, .input = {}}};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  return ReadQueryAnswer(answers->back());
}

Expected<void> RunLocalMemory(CheckRun& run) {
  const std::uint64_t size = run.facts().Number(DeviceQuery::kLocalMemSize) / 4 * 4;
  KernelRequest request{
      .source =
          "kernel void ask(local uint* m, uint n, global uint* bad) {\n  for (uint k = 0; k < "
          "n; ++k) m[k] = k * 2654435761u;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  uint wrong = "
          "0;\n  for (uint k = 0; k < n; ++k) wrong += m[k] != k * 2654435761u;\n  bad[0] = "
          "wrong;\n}\n",
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {LocalOf(size), ValueOf(static_cast<std::uint32_t>(size / 4)), OutputOf(4)},
      .global = {1, 1, 1},
      .local = {1, 1, 1},
      .tolerant = true};
  request.questions = {{.subject = HostQuestion::Subject::kKernelWorkGroup,
                        .what = kLocalMemSize,
                        .room = 8,
                        .input = {}}};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  std::int64_t status = 0;
  std::memcpy(&status, (*answers)[1].data(), sizeof status);
  const auto bad = NumbersOf<std::uint32_t>((*answers)[0]);
  run.Expect(status == 0 && bad[0] == 0,
             fmt::format("{} bytes of local memory, CL_DEVICE_LOCAL_MEM_SIZE", size),
             fmt::format("error {}, {} words lost", status, status == 0 ? bad[0] : 0),
             "all words are kept");
  return {};
}

Expected<void> RunParameters(CheckRun& run) {
  // A structure and a pointer fill the whole.
  constexpr std::uint64_t kMostAsked = 64 << 10;
  const std::uint64_t pointer = run.facts().Number(DeviceQuery::kAddressBits) / 8;
  const std::uint64_t total =
      std::min(run.facts().Number(DeviceQuery::kMaxParameterSize), kMostAsked) / 8 * 8;
  const std::uint64_t words = (total - pointer) / 4;
  KernelArgument value{.kind = KernelArgument::Kind::kValue, .size = words * 4, .value = {}};
  std::uint32_t sum = 0;
  for (std::uint64_t k = 0; k < words; ++k) {
    const auto word = static_cast<std::uint32_t>(CheckHash(run.options().seed, k));
    sum += word * static_cast<std::uint32_t>(k + 1);
    for (int byte = 0; byte < 4; ++byte)
      value.value.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
  }
  KernelRequest request{
      .source =
          fmt::format("typedef struct {{ uint w[{0}]; }} S;\nkernel void ask(S s, global uint* "
                      "sum) {{\n  uint t = 0;\n  for (uint k = 0; k < {0}; ++k) t += s.w[k] * "
                      "(k + 1);\n  sum[0] = t;\n}}\n",
                      words),
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {value, OutputOf(4)},
      .global = {1, 1, 1},
      .local = {1, 1, 1}};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto found = NumbersOf<std::uint32_t>((*answers)[0]);
  run.Expect(found[0] == sum, fmt::format("the sum of arguments of {} bytes", total),
             fmt::format("{:#x}", found[0]), fmt::format("{:#x}", sum));
  return {};
}

Expected<void> RunConstants(CheckRun& run) {
  constexpr std::uint64_t kMostArguments = 64, kMostBytes = 1 << 20;
  const std::uint64_t count =
      std::min(run.facts().Number(DeviceQuery::kMaxConstantArgs), kMostArguments);
  const std::uint64_t size =
      std::min(run.facts().Number(DeviceQuery::kMaxConstantBufferSize), kMostBytes) / 4;
  std::string parameters, text;
  KernelRequest request{.options = run.facts().Standard(), .kernel = "ask"};
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::uint32_t> wanted;
  for (std::uint64_t k = 0; k < count; ++k) {
    // The first is as large as a constant buffer may be.
    const std::uint64_t words = k == 0 ? size : 16;
    std::vector<std::uint32_t> content;
    for (std::uint64_t w = 0; w < words; ++w) {
      content.push_back(static_cast<std::uint32_t>(CheckHash(k, w)));
    }
    parameters += fmt::format("constant uint* c{}, ", k);
    text += fmt::format("  out[{0}] = c{0}[{1} + get_global_id(0)];\n", k, words - 1);
    wanted.push_back(content.back());
    request.arguments.push_back(InputOf(words * 4));
    inputs.push_back(BytesOf(content));
  }
  request.source = fmt::format("kernel void ask({}global uint* out) {{\n{}}}\n", parameters, text);
  request.arguments.push_back(OutputOf(count * 4));
  request.global = request.local = {1, 1, 1};
  auto answers = run.Ask(request, std::move(inputs));
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto found = NumbersOf<std::uint32_t>((*answers)[0]);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    run.Expect(found[k] == wanted[k], fmt::format("constant argument {} of {}", k, count),
               fmt::format("{:#x}", found[k]), fmt::format("{:#x}", wanted[k]));
  }
  return {};
}

Expected<void> RunAllocation(CheckRun& run) {
  const std::uint64_t most = run.facts().Number(DeviceQuery::kMaxMemAllocSize);
  KernelRequest request;
  for (const std::uint64_t size : {std::uint64_t{1}, most + 1, std::uint64_t{0}}) {
    request.questions.push_back(
        {.subject = HostQuestion::Subject::kAllocate, .what = 0, .room = 8, .input = {size}});
  }
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const std::int64_t wanted[] = {0, kInvalidBufferSize, kInvalidBufferSize};
  const char* what[] = {"a buffer of 1 byte", "a buffer larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE",
                        "a buffer of 0 bytes"};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int64_t status = ReadQueryAnswer((*answers)[k]).status;
    run.Expect(status == wanted[k], what[k], fmt::format("error {}", status),
               wanted[k] == 0 ? "no error" : "CL_INVALID_BUFFER_SIZE (-61)");
  }
  return {};
}

Expected<void> RunKernelQueries(CheckRun& run) {
  const std::string source =
      "kernel void ask(global uint* out, uint a, local uint* m, float4 b) {\n  local uint "
      "own[100];\n"
      "  own[get_local_id(0)] = a;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = "
      "own[get_local_size(0) - 1 - get_local_id(0)] + (uint)b.x;\n}\n";
  using Subject = HostQuestion::Subject;
  const auto arguments = AskKernelOnce(run, source, Subject::kKernel, kNumArgs);
  if (!arguments) return tl::unexpected<Error>(arguments.error());
  run.Expect(Number(*arguments) == 4, "CL_KERNEL_NUM_ARGS", fmt::format("{}", Number(*arguments)),
             "4");
  const auto name = AskKernelOnce(run, source, Subject::kKernel, kFunctionName, 64);
  if (!name) return tl::unexpected<Error>(name.error());
  const std::string text(reinterpret_cast<const char*>(name->value.data()),
                         strnlen(reinterpret_cast<const char*>(name->value.data()), 63));
  run.Expect(text == "ask", "CL_KERNEL_FUNCTION_NAME", text, "ask");
  const auto local = AskKernelOnce(run, source, Subject::kKernelWorkGroup, kLocalMemSize);
  if (!local) return tl::unexpected<Error>(local.error());
  const std::uint64_t most = run.facts().Number(DeviceQuery::kLocalMemSize);
  run.Expect(local->status == 0 && Number(*local) >= 400 && Number(*local) <= most,
             "CL_KERNEL_LOCAL_MEM_SIZE of a kernel with uint[100]",
             fmt::format("{}", Number(*local)), fmt::format("400 to {}", most));
  const auto multiple = AskKernelOnce(run, source, Subject::kKernelWorkGroup, kPreferredMultiple);
  if (!multiple) return tl::unexpected<Error>(multiple.error());
  run.Expect(multiple->status == 0 && Number(*multiple) >= 1,
             "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", fmt::format("{}", Number(*multiple)),
             "at least 1");
  const auto privately = AskKernelOnce(run, source, Subject::kKernelWorkGroup, kPrivateMemSize);
  if (!privately) return tl::unexpected<Error>(privately.error());
  run.Expect(privately->status == 0, "CL_KERNEL_PRIVATE_MEM_SIZE",
             fmt::format("error {}", privately->status), "no error");
  return {};
}

// What the host is told of sub-groups is what the kernel sees.
Expected<void> RunSubgroupQueries(CheckRun& run) {
  const std::string source =
      "kernel void ask(global uint* out) {\n  if (get_local_id(0) == 0) {\n    out[0] = "
      "get_max_sub_group_size();\n    out[1] = get_num_sub_groups();\n  }\n}\n";
  for (const std::uint64_t size : {1u, 7u, 16u, 33u, 64u}) {
    KernelRequest request{.source = source,
                          .options = run.facts().Standard(),
                          .kernel = "ask",
                          .arguments = {OutputOf(8)},
                          .global = {size, 1, 1},
                          .local = {size, 1, 1}};
    for (const std::uint32_t what : {kMaxSubGroupSizeForRange, kSubGroupCountForRange}) {
      request.questions.push_back({.subject = HostQuestion::Subject::kKernelSubGroup,
                                   .what = what,
                                   .room = 8,
                                   .input = {size}});
    }
    auto answers = run.Ask(request);
    if (!answers) return tl::unexpected<Error>(answers.error());
    const auto found = NumbersOf<std::uint32_t>((*answers)[0]);
    const char* names[] = {"CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE",
                           "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE"};
    for (std::size_t k = 0; k < 2; ++k) {
      const QueryAnswer told = ReadQueryAnswer((*answers)[k + 1]);
      run.Expect(told.status == 0 && Number(told) == found[k],
                 fmt::format("{} of {} work-items", names[k], size),
                 fmt::format("error {}, {}", told.status, Number(told)),
                 fmt::format("{}, as the kernel sees it", found[k]));
    }
  }
  return {};
}

}  // namespace assay::oracle
