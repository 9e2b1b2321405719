// Any bytes as what a device, its child or its recording says: read or refused, and never a crash.
// What was read is written and read again, and means the same.
//
// The first byte says as what the rest is taken.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/devices/image_request.h"
#include "oracle/devices/text.h"
#include "oracle/devices/wire.h"

namespace {

using namespace assay::oracle;

void ReadMessage(const std::string& text) {
  const auto message = wire::Parse(text);
  if (!message) return;
  (void)wire::AnswerFromJson(*message);
  if (const auto task = wire::TaskFromJson(*message)) {
    if (!wire::TaskFromJson(wire::ToJson(*task))) std::abort();
  }
  if (const auto description = wire::DescriptionFromJson(*message)) {
    const auto json = wire::ToJson(*description);
    const auto again = wire::DescriptionFromJson(json);
    if (!again || wire::ToJson(*again) != json) std::abort();
  }
}

void ReadDeclarations(std::string_view text) {
  DeviceDescription description;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    (void)text::ApplyDeclaration(text.substr(0, end), &description);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  DeviceDescription again;
  const auto lines = text::Declarations(description);
  for (const std::string& line : lines) (void)text::ApplyDeclaration(line, &again);
  if (text::Declarations(again) != lines) std::abort();
}

void ReadItem(std::string_view text) {
  using assay::numerics::ScalarType;
  std::vector<std::uint32_t> floats(4);
  std::vector<std::uint64_t> longs(2);
  const Column columns[] = {{{ScalarType::kFloat, 4}, floats.data()},
                            {{ScalarType::kUlong, 2}, longs.data()}};
  if (!text::ParseItem(text, columns, 0)) return;
  std::string line;
  text::AppendItem(std::span<const Column>(columns), 0, &line);
  const auto before = floats;
  if (!text::ParseItem(line, columns, 0) || before != floats) std::abort();
}

void ReadImageRequest(const std::string& text) {
  const auto json = wire::Parse(text);
  if (!json) return;
  const auto request = ImageRequestFromJson(*json);
  if (!request) return;
  const ImageOperands operands = OperandsOf(*request);
  const auto again = ImageRequestFromJson(ToJson(*request));
  if (!again || OperandsOf(*again).inputs != operands.inputs) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 4:
      ReadImageRequest(rest);
      break;
    case 0:
      ReadMessage(rest);
      break;
    case 1:
      ReadDeclarations(rest);
      break;
    case 2:
      if (const auto task = text::ParseTask(rest)) {
        const std::string words = text::TaskText(task->operation, task->math);
        if (!text::ParseTask(words)) std::abort();
      }
      break;
    default:
      ReadItem(rest);
  }
  return 0;
}
