#include "oracle/devices/transfer_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "oracle/devices/request_json.h"

namespace assay::oracle {
namespace {

using nlohmann::json;

// No request of assay is larger.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;
constexpr std::size_t kMostObjects = 16, kMostSteps = 256;

json PlaceToJson(const TransferPlace& place) {
  return {place.object, place.origin, place.row_pitch, place.slice_pitch};
}

TransferPlace PlaceFrom(const json& j, std::size_t objects) {
  TransferPlace place{.object = j.at(0).get<std::uint32_t>(),
                      .origin = j.at(1).get<std::array<std::uint64_t, 3>>(),
                      .row_pitch = j.at(2).get<std::uint64_t>(),
                      .slice_pitch = j.at(3).get<std::uint64_t>()};
  if (place.object >= objects) throw std::out_of_range("a place without an object");
  return place;
}

TransferObject ObjectFrom(const json& j, std::size_t earlier) {
  TransferObject object{
      .kind = EnumFrom(j.at("kind"), TransferObject::Kind::kImage),
      .store = EnumFrom(j.at("store"), TransferObject::Store::kUsesHost),
      .size = j.at("size").get<std::uint64_t>(),
      .element = j.at("element").get<std::uint64_t>(),
      .parent = j.at("parent").get<std::uint32_t>(),
      .origin = j.at("origin").get<std::uint64_t>(),
      .shape = EnumFrom(j.at("shape"), ImageShape::k3D),
      .format = {.order = EnumFrom(j.at("order"), numerics::image::ChannelOrder::kABGR),
                 .type = EnumFrom(j.at("type"), numerics::image::ChannelType::kUnormInt14X2)},
      .extent = j.at("extent").get<std::array<std::uint64_t, 3>>()};
  if (object.size == 0 || object.size > kMostBytes)
    throw std::out_of_range("the size of an object");
  if (object.kind == TransferObject::Kind::kSubBuffer && object.parent >= earlier) {
    throw std::out_of_range("a sub-buffer without a buffer");
  }
  return object;
}

TransferRequest RequestFrom(const json& j) {
  TransferRequest request;
  if (j.at("objects").size() > kMostObjects || j.at("steps").size() > kMostSteps) {
    throw std::out_of_range("too many objects or steps");
  }
  for (const json& object : j.at("objects")) {
    request.objects.push_back(ObjectFrom(object, request.objects.size()));
  }
  for (const json& step : j.at("steps")) {
    request.steps.push_back(
        {.command = EnumFrom(step.at("command"), TransferCommand::kMapImageInvalidate),
         .from = PlaceFrom(step.at("from"), request.objects.size()),
         .to = PlaceFrom(step.at("to"), request.objects.size()),
         .region = step.at("region").get<std::array<std::uint64_t, 3>>(),
         .pattern = step.at("pattern").get<std::vector<std::uint8_t>>(),
         .blocking = step.at("blocking").get<bool>()});
  }
  return request;
}

}  // namespace

std::string_view TransferCommandName(TransferCommand command) {
  constexpr std::string_view kNames[] = {
      "clEnqueueReadBuffer",        "clEnqueueWriteBuffer",    "clEnqueueCopyBuffer",
      "clEnqueueFillBuffer",        "clEnqueueReadBufferRect", "clEnqueueWriteBufferRect",
      "clEnqueueCopyBufferRect",    "clEnqueueMapBuffer",      "clEnqueueMapBuffer",
      "clEnqueueMapBuffer",         "clEnqueueReadImage",      "clEnqueueWriteImage",
      "clEnqueueCopyImage",         "clEnqueueFillImage",      "clEnqueueCopyImageToBuffer",
      "clEnqueueCopyBufferToImage", "clEnqueueMapImage",       "clEnqueueMapImage",
      "clEnqueueMapImage"};
  static_assert(std::size(kNames) == kTransferCommands);
  return kNames[static_cast<int>(command)];
}

ImageOperands OperandsOf(const TransferRequest& request) {
  ImageOperands operands;
  operands.outputs.push_back(request.steps.size() * sizeof(std::int64_t));
  for (const TransferObject& object : request.objects) {
    if (object.kind == TransferObject::Kind::kSubBuffer) continue;
    operands.inputs.push_back(object.size);
    operands.outputs.push_back(object.size);
  }
  return operands;
}

json ToJson(const TransferRequest& request) {
  json objects = json::array(), steps = json::array();
  for (const TransferObject& object : request.objects) {
    objects.push_back({{"kind", static_cast<int>(object.kind)},
                       {"store", static_cast<int>(object.store)},
                       {"size", object.size},
                       {"parent", object.parent},
                       {"origin", object.origin},
                       {"shape", static_cast<int>(object.shape)},
                       {"order", static_cast<int>(object.format.order)},
                       {"type", static_cast<int>(object.format.type)},
                       {"extent", object.extent},
                       {"element", object.element}});
  }
  for (const TransferStep& step : request.steps) {
    steps.push_back({{"command", static_cast<int>(step.command)},
                     {"from", PlaceToJson(step.from)},
                     {"to", PlaceToJson(step.to)},
                     {"region", step.region},
                     {"pattern", step.pattern},
                     {"blocking", step.blocking}});
  }
  return {{"objects", std::move(objects)}, {"steps", std::move(steps)}};
}

Expected<TransferRequest> TransferRequestFromJson(const json& j) {
  try {
    return RequestFrom(j);
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kInternal,
                fmt::format("assay serve: no request of transfers: {}", error.what()));
  }
}

}  // namespace assay::oracle
