#include "oracle/devices/text.h"

#include <fmt/format.h>

#include <optional>

namespace assay::oracle::text {
namespace {

using numerics::Bits;
using numerics::ConstColumn;
using numerics::Format;
using numerics::ScalarType;
using numerics::Slot;

constexpr std::string_view kFormatNames = "half, bfloat16, float or double";

tl::unexpected<Error> Reason(std::string reason) {
  return Fail(ErrorKind::kDevice, std::move(reason));
}

// The free-text fields, by the word that introduces them.
struct TextField {
  std::string_view word;
  std::string DeviceDescription::*field;
};
constexpr TextField kTextFields[] = {
    {"name", &DeviceDescription::name},
    {"platform", &DeviceDescription::platform},
    {"vendor", &DeviceDescription::vendor},
    {"device-version", &DeviceDescription::device_version},
    {"driver-version", &DeviceDescription::driver_version},
    {"c-version", &DeviceDescription::c_version},
    {"program", &DeviceDescription::program},
};

std::optional<bool> YesOrNo(std::string_view word) {
  if (word == "yes") return true;
  if (word == "no") return false;
  return std::nullopt;
}

// "float denormals=no rounding=rtz"
Expected<void> ApplyFormat(std::span<const std::string_view> words, DeviceDescription* d) {
  const auto format = words.empty() ? std::nullopt : numerics::FormatFromName(words[0]);
  if (!format) return Reason(fmt::format("expected a format: {}", kFormatNames));
  const int f = static_cast<int>(*format);
  d->supports[f] = true;
  for (std::string_view word : words.subspan(1)) {
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    const auto yes = YesOrNo(value);
    const auto rounding = numerics::RoundingFromName(value);
    if (key == "denormals" && yes) {
      d->denormals[f] = *yes;
    } else if (key == "rounding" && rounding) {
      d->rounding[f] = *rounding;
    } else {
      return Reason(
          fmt::format("'{}' is neither denormals=yes|no nor rounding=rte|rtz|rtp|rtn", word));
    }
  }
  return {};
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads one number of at most `digits` digits, with or without 0x, from the front of `rest`.
bool ParseNumber(std::string_view* rest, std::size_t digits, Bits* bits) {
  while (!rest->empty() && rest->front() == ' ') rest->remove_prefix(1);
  if (rest->starts_with("0x") || rest->starts_with("0X")) rest->remove_prefix(2);
  std::size_t length = 0;
  Bits value = 0;
  while (length < rest->size() && DigitOf((*rest)[length]) >= 0) {
    value = value << 4 | static_cast<Bits>(DigitOf((*rest)[length++]));
  }
  if (length == 0 || length > digits) return false;
  if (length < rest->size() && (*rest)[length] != ' ') return false;
  rest->remove_prefix(length);
  *bits = value;
  return true;
}

std::string Expectation(std::span<const Column> columns) {
  std::string text;
  for (const Column& column : columns) {
    fmt::format_to(std::back_inserter(text), "{}{}{}", text.empty() ? "" : " ",
                   ScalarTypeName(column.slot.type),
                   column.slot.components > 1 ? std::to_string(column.slot.components) : "");
  }
  return fmt::format("expected the bits of {} in hexadecimal", text);
}

}  // namespace

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    words.push_back(line.substr(0, line.find_first_of(" \t")));
    line.remove_prefix(words.back().size());
  }
}

Expected<void> ApplyDeclaration(std::string_view line, DeviceDescription* d) {
  const std::vector<std::string_view> words = Words(line);
  if (words.empty()) return Reason("an empty line");
  const std::string_view word = words[0];
  for (const TextField& field : kTextFields) {
    if (word != field.word) continue;
    d->*field.field = words.size() > 1 ? std::string(words[1].data(), &line.back() + 1) : "";
    return {};
  }
  const std::span<const std::string_view> rest = std::span(words).subspan(1);
  if (word == "format") return ApplyFormat(rest, d);
  if (word == "profile" && rest.size() == 1 && (rest[0] == "full" || rest[0] == "embedded")) {
    d->profile = rest[0] == "full" ? Profile::kFull : Profile::kEmbedded;
    return {};
  }
  if (word == "correctly-rounded-divide-sqrt" && rest.size() == 1 && YesOrNo(rest[0])) {
    d->correctly_rounded_divide_sqrt = *YesOrNo(rest[0]);
    return {};
  }
  return Reason(
      "expected 'name TEXT', 'format FORMAT [denormals=yes|no] [rounding=rte|rtz|rtp|rtn]', "
      "'profile full|embedded' or another declaration of docs/pipe-protocol.md");
}

std::vector<std::string> Declarations(const DeviceDescription& d) {
  std::vector<std::string> lines;
  for (const TextField& field : kTextFields) {
    // A line is a line, whatever a driver's version string holds.
    std::string value = d.*field.field;
    for (char& c : value) c = c == '\n' || c == '\r' ? ' ' : c;
    const std::size_t begin = value.find_first_not_of(" \t"), end = value.find_last_not_of(" \t");
    if (begin == value.npos) continue;
    lines.push_back(fmt::format("{} {}", field.word, value.substr(begin, end + 1 - begin)));
  }
  for (Format format : numerics::kAllFormats) {
    const int f = static_cast<int>(format);
    if (!d.supports[f]) continue;
    lines.push_back(fmt::format("format {} denormals={} rounding={}", Traits(format).name,
                                d.denormals[f] ? "yes" : "no", RoundingName(d.rounding[f])));
  }
  lines.push_back(fmt::format("profile {}", d.profile == Profile::kFull ? "full" : "embedded"));
  if (d.correctly_rounded_divide_sqrt) lines.emplace_back("correctly-rounded-divide-sqrt yes");
  return lines;
}

std::string_view MathModeName(MathMode math) {
  constexpr std::string_view kNames[] = {"default", "relaxed", "native"};
  return kNames[static_cast<int>(math)];
}

std::string TaskText(const numerics::Operation& operation, MathMode math) {
  return fmt::format("{} {} {}", operation.Name(), operation.FormatName(), MathModeName(math));
}

Expected<TaskSpec> ParseTask(std::string_view line) {
  const std::vector<std::string_view> words = Words(line);
  if (words.size() < 3) return Reason("expected 'NAME FORMAT default|relaxed|native'");
  auto operation = numerics::OperationFromName(words[0], words[1]);
  if (!operation) return Reason(operation.error().message);
  for (MathMode math : {MathMode::kDefault, MathMode::kRelaxed, MathMode::kNative}) {
    if (MathModeName(math) != words[2]) continue;
    TaskSpec task;
    task.operation = *operation;
    task.math = math;
    return task;
  }
  return Reason(fmt::format("'{}' is no math mode: default, relaxed or native", words[2]));
}

template <typename AnyColumn>
void AppendItem(std::span<const AnyColumn> columns, std::size_t item, std::string* line) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const AnyColumn& column : columns) {
    const auto n = static_cast<std::size_t>(column.slot.components);
    for (std::size_t k = 0; k < n; ++k) {
      const Bits bits = numerics::LoadElement(column.slot.type, column.data, item * n + k);
      if (!line->empty() && line->back() != ' ' && line->back() != '\n') line->push_back(' ');
      for (int shift = WidthOf(column.slot.type) - 4; shift >= 0; shift -= 4) {
        line->push_back(kDigits[bits >> shift & 15]);
      }
    }
  }
}
template void AppendItem(std::span<const Column>, std::size_t, std::string*);
template void AppendItem(std::span<const ConstColumn>, std::size_t, std::string*);

Expected<void> ParseItem(std::string_view line, std::span<const Column> columns, std::size_t item) {
  std::string_view rest = line;
  for (const Column& column : columns) {
    const auto digits = static_cast<std::size_t>(WidthOf(column.slot.type)) / 4;
    const auto n = static_cast<std::size_t>(column.slot.components);
    for (std::size_t k = 0; k < n; ++k) {
      Bits bits = 0;
      if (!ParseNumber(&rest, digits, &bits)) return Reason(Expectation(columns));
      numerics::StoreElement(column.slot.type, column.data, item * n + k, bits);
    }
  }
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (!rest.empty()) return Reason(Expectation(columns));
  return {};
}

}  // namespace assay::oracle::text
