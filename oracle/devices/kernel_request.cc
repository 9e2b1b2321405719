#include "oracle/devices/kernel_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "oracle/devices/request_json.h"

namespace assay::oracle {
namespace {

using nlohmann::json;

// No request of assay is larger.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;

std::uint64_t SizeFrom(const json& value) {
  const auto size = value.get<std::uint64_t>();
  if (size > kMostBytes) throw std::out_of_range(fmt::format("{} bytes are too many", size));
  return size;
}

KernelRequest ReadKernelRequest(const json& j) {
  KernelRequest request;
  request.source = j.at("source").get<std::string>();
  request.options = j.at("options").get<std::string>();
  request.kernel = j.at("kernel").get<std::string>();
  for (const json& argument : j.at("arguments")) {
    request.arguments.push_back({.kind = EnumFrom(argument.at(0), KernelArgument::Kind::kValue),
                                 .size = SizeFrom(argument.at(1)),
                                 .value = argument.at(2).get<std::vector<std::uint8_t>>()});
  }
  request.dimensions = j.at("dimensions").get<std::uint32_t>();
  if (request.dimensions < 1 || request.dimensions > 3) throw std::out_of_range("dimensions");
  request.offset = j.at("offset").get<std::array<std::uint64_t, 3>>();
  request.global = j.at("global").get<std::array<std::uint64_t, 3>>();
  request.local = j.at("local").get<std::array<std::uint64_t, 3>>();
  request.launches = j.at("launches").get<std::uint32_t>();
  request.printed = static_cast<std::uint32_t>(SizeFrom(j.at("printed")));
  request.tolerant = j.at("tolerant").get<bool>();
  for (const json& question : j.at("questions")) {
    request.questions.push_back(
        {.subject = EnumFrom(question.at(0), HostQuestion::Subject::kAllocate),
         .what = question.at(1).get<std::uint32_t>(),
         .room = SizeFrom(question.at(2)),
         .input = question.at(3).get<std::vector<std::uint64_t>>()});
  }
  return request;
}

}  // namespace

ImageOperands OperandsOf(const KernelRequest& request) {
  ImageOperands operands;
  for (const KernelArgument& argument : request.arguments) {
    if (argument.kind == KernelArgument::Kind::kInput) operands.inputs.push_back(argument.size);
    if (argument.kind == KernelArgument::Kind::kOutput) operands.outputs.push_back(argument.size);
  }
  if (request.printed > 0) operands.outputs.push_back(kAnswerHead + request.printed);
  if (request.tolerant) operands.outputs.push_back(kStatusSize);
  for (const HostQuestion& question : request.questions) {
    operands.outputs.push_back(kAnswerHead + question.room);
  }
  return operands;
}

QueryAnswer ReadQueryAnswer(std::span<const std::byte> zone) {
  QueryAnswer answer;
  std::memcpy(&answer.status, zone.data(), sizeof answer.status);
  std::memcpy(&answer.size, zone.data() + sizeof answer.status, sizeof answer.size);
  answer.value.assign(zone.begin() + kAnswerHead, zone.end());
  return answer;
}

void WriteQueryAnswer(const QueryAnswer& answer, std::span<std::byte> zone) {
  std::memcpy(zone.data(), &answer.status, sizeof answer.status);
  std::memcpy(zone.data() + sizeof answer.status, &answer.size, sizeof answer.size);
  const std::size_t room = zone.size() - kAnswerHead;
  std::copy_n(answer.value.begin(), std::min(room, answer.value.size()),
              zone.begin() + kAnswerHead);
}

Expected<void> AnswersKernels::AskTransfers(const TransferRequest&, ImageInputs, ImageOutputs) {
  return Fail(ErrorKind::kUnsupported, "the device is asked for no commands");
}

json ToJson(const KernelRequest& request) {
  json arguments = json::array(), questions = json::array();
  for (const KernelArgument& argument : request.arguments) {
    arguments.push_back({static_cast<int>(argument.kind), argument.size, argument.value});
  }
  for (const HostQuestion& question : request.questions) {
    questions.push_back(
        {static_cast<int>(question.subject), question.what, question.room, question.input});
  }
  return {{"source", request.source},         {"options", request.options},
          {"kernel", request.kernel},         {"arguments", arguments},
          {"dimensions", request.dimensions}, {"offset", request.offset},
          {"global", request.global},         {"local", request.local},
          {"launches", request.launches},     {"printed", request.printed},
          {"tolerant", request.tolerant},     {"questions", questions}};
}

Expected<KernelRequest> KernelRequestFromJson(const json& j) {
  try {
    return ReadKernelRequest(j);
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kInternal,
                fmt::format("assay serve: no kernel request: {}", error.what()));
  }
}

}  // namespace assay::oracle
