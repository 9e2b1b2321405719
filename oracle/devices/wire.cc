#include "oracle/devices/wire.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace assay::oracle::wire {
namespace {

using nlohmann::json;

tl::unexpected<Error> Bad(const std::string& what) {
  return Fail(ErrorKind::kInternal, "assay serve: a message without " + what);
}

template <typename T>
std::array<T, 4> FourOf(const json& list, T other) {
  std::array<T, 4> values;
  values.fill(other);
  for (std::size_t k = 0; k < 4 && list.is_array() && k < list.size(); ++k) values[k] = list[k];
  return values;
}

// A value of another type than expected throws inside the JSON library; not beyond this file.
template <typename Body>
auto Guarded(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const json::exception& exception) {
    return Bad(exception.what());
  }
}

Expected<DeviceDescription> ReadDescription(const json& j) {
  if (!j.is_object()) return Bad("a description");
  DeviceDescription d;
  d.kind = j.value("kind", "");
  d.name = j.value("name", "");
  d.platform = j.value("platform", "");
  d.vendor = j.value("vendor", "");
  d.device_version = j.value("device_version", "");
  d.driver_version = j.value("driver_version", "");
  d.c_version = j.value("c_version", "");
  d.program = j.value("program", "");
  d.widths = j.value("widths", d.widths);
  d.profile = j.value("embedded", false) ? Profile::kEmbedded : Profile::kFull;
  d.correctly_rounded_divide_sqrt = j.value("divide_sqrt", false);
  d.compute_units = j.value("compute_units", 0);
  for (const json& part : j.value("identity", json::array())) {
    d.identity.push_back({part.value("what", ""), part.value("value", "")});
  }
  const auto supports = FourOf<bool>(j.value("supports", json()), false);
  const auto denormals = FourOf<bool>(j.value("denormals", json()), true);
  const auto rounding = FourOf<int>(j.value("rounding", json()), 0);
  for (std::size_t f = 0; f < 4; ++f) {
    d.supports[f] = supports[f];
    d.denormals[f] = denormals[f];
    d.rounding[f] = static_cast<numerics::Rounding>(rounding[f] & 3);
  }
  return d;
}

Expected<TaskSpec> ReadTask(const json& j) {
  if (!j.is_object() || !j.contains("widths")) return Bad("a task");
  auto operation = numerics::OperationFromName(j.value("name", ""), j.value("format", ""));
  if (!operation) return tl::unexpected<Error>(operation.error());
  TaskSpec task;
  task.operation = *operation;
  task.widths = j["widths"].get<std::vector<int>>();
  task.math = static_cast<MathMode>(j.value("math", 0));
  task.build_options = j.value("options", "");
  return task;
}

tl::unexpected<Error> NoAnswer(const std::string& why) { return Fail(ErrorKind::kDevice, why); }

Expected<Answer> ReadAnswer(const json& j) {
  constexpr std::size_t kMostNotes = 16;
  Answer answer;
  answer.id = j.value("id", std::uint64_t{0});
  for (const json& note : j.value("notes", json::array())) {
    if (answer.notes.size() < kMostNotes) answer.notes.push_back(note.get<std::string>());
  }
  if (const auto others = j.find("made_others"); others != j.end()) {
    answer.made_others = others->get<std::string>();
  }
  const auto error = j.find("error");
  if (error == j.end()) return answer;
  const auto kind = error->value("kind", std::int64_t{-1});
  // The child is a program that a driver may have overwritten: its numbers are not ours.
  constexpr ErrorKind kKinds[] = {ErrorKind::kUsage, ErrorKind::kUnsupported, ErrorKind::kDevice,
                                  ErrorKind::kInternal};
  for (ErrorKind known : kKinds) {
    if (kind != static_cast<std::int64_t>(known)) continue;
    answer.error = Error{known, error->value("message", "no message")};
    return answer;
  }
  return NoAnswer(fmt::format("an error of the unknown kind {}", kind));
}

}  // namespace

json ToJson(const DeviceDescription& d) {
  json formats = json::array(), denormals = json::array(), rounding = json::array();
  json identity = json::array();
  for (const IdentityPart& part : d.identity) {
    identity.push_back({{"what", part.what}, {"value", part.value}});
  }
  for (int f = 0; f < 4; ++f) {
    formats.push_back(d.supports[f]);
    denormals.push_back(d.denormals[f]);
    rounding.push_back(static_cast<int>(d.rounding[f]));
  }
  return {{"kind", d.kind},
          {"name", d.name},
          {"platform", d.platform},
          {"vendor", d.vendor},
          {"device_version", d.device_version},
          {"driver_version", d.driver_version},
          {"c_version", d.c_version},
          {"program", d.program},
          {"embedded", d.profile == Profile::kEmbedded},
          {"supports", formats},
          {"denormals", denormals},
          {"rounding", rounding},
          {"divide_sqrt", d.correctly_rounded_divide_sqrt},
          {"compute_units", d.compute_units},
          {"widths", d.widths},
          {"identity", identity}};
}

json ToJson(const Error& error) {
  return {{"error", {{"kind", static_cast<int>(error.kind)}, {"message", error.message}}}};
}

json ToJson(const TaskSpec& task) {
  return {{"name", task.operation.Name()},
          {"format", task.operation.FormatName()},
          {"widths", task.widths},
          {"math", static_cast<int>(task.math)},
          {"options", task.build_options}};
}

Expected<DeviceDescription> DescriptionFromJson(const json& j) {
  return Guarded([&] { return ReadDescription(j); });
}
Expected<TaskSpec> TaskFromJson(const json& j) {
  return Guarded([&] { return ReadTask(j); });
}
Expected<Answer> AnswerFromJson(const json& j) {
  try {
    return ReadAnswer(j);
  } catch (const json::exception& exception) {
    return NoAnswer(exception.what());
  }
}

std::string Frame(const json& message) {
  // A driver's text may hold anything; it must not become an exception here.
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string frame(sizeof size, '\0');
  std::memcpy(frame.data(), &size, sizeof size);
  return frame + text;
}

Expected<json> Parse(const std::string& text) {
  json message = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!message.is_object()) return Bad("a JSON object");
  return message;
}

}  // namespace assay::oracle::wire
