// Commands that print what they are told: echo, printf and dprintf.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "tools/debug/format.h"
#include "tools/debug/terminal.h"

namespace assay::tools {

// Escapes that are written as such (\033) are the user's own.  Bytes that a terminal would obey
// came with a name from elsewhere.
Expected<void> DebugTerminal::Echo(const std::string& arguments) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size();) {
    std::size_t end = std::min(arguments.find('\\', i), arguments.size());
    if (end != i) {
      text += base::PrintableLines(arguments.substr(i, end - i));
      i = end;
      continue;
    }
    // A letter, or up to three octal digits.
    end = std::min(i + 2, arguments.size());
    const auto is_octal = [&](std::size_t at) {
      return at < arguments.size() && arguments[at] >= '0' && arguments[at] <= '7';
    };
    while (is_octal(i + 1) && is_octal(end) && end < i + 4) ++end;
    const auto escape = Unescaped(arguments.substr(i, end - i));
    if (!escape) return tl::unexpected(escape.error());
    text += *escape;
    i = end;
  }
  log_.Add(text);
  if (sink) {
    sink(text);
  } else if (!log_.is_on() || !log_.redirects) {
    Write(text);
  }
  return {};
}

// What %s prints: the bytes that an array or a pointer leads to, up to a zero.
Expected<std::string> DebugTerminal::TextAt(const std::string& expression) {
  constexpr std::uint64_t kChunk = 256;
  constexpr std::size_t kLongest = 65536;
  const auto value = Value(expression, "");
  if (!value) return tl::unexpected(value.error());
  const bool is_array = value->type.find('[') != std::string::npos && value->address;
  const bool is_pointer = value->bits && value->bits->kind == debug::ValueBits::Kind::kPointer;
  if (!is_array && !is_pointer) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' has the type {}: %s prints an array of char, what a "
                            "pointer leads to, or a \"text\"",
                            expression, value->type));
  }
  std::uint64_t address = is_array ? *value->address : value->bits->components.at(0);
  std::uint64_t left = is_array ? value->size : kLongest;
  std::string text;
  while (left != 0) {
    const auto answer = session_.Ask(debug::ReadMemoryRequest{
        .item = item_, .address = address, .bytes = std::min(left, kChunk)});
    if (!answer && text.empty()) return tl::unexpected(answer.error());
    const std::string hex = answer ? answer->hex : "";
    if (hex.empty()) break;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      const char c = static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
      if (c == '\0') return text;
      text += c;
    }
    address += hex.size() / 2;
    left -= std::min<std::uint64_t>(left, hex.size() / 2);
  }
  return text;
}

// What the kernel's own printf would write; a number becomes what its conversion wants, as in gdb.
Expected<std::string> DebugTerminal::Formatted(const std::string& arguments) {
  const auto request = ParseFormatRequest(arguments);
  if (!request) return tl::unexpected(request.error());
  std::string format;
  std::vector<interp::PrintfArgument> values;
  for (std::size_t i = 0; i < request->pieces.size(); ++i) {
    const FormatPiece& piece = request->pieces[i];
    format += piece.before;
    if (piece.conversion == 0) continue;
    const std::string& expression = request->expressions[i];
    FormatArgument one;
    if (piece.conversion == 's') {
      const bool is_text =
          expression.size() > 1 && expression[0] == '"' && expression.back() == '"';
      auto text =
          is_text ? Unescaped(expression.substr(1, expression.size() - 2)) : TextAt(expression);
      if (!text) return tl::unexpected(text.error());
      one = TextArgument(piece, std::move(*text));
    } else {
      const auto value = Value(expression, "");
      if (!value) return tl::unexpected(value.error());
      const std::size_t count = value->bits ? value->bits->components.size() : 1;
      const bool is_scalar = count == 1;
      if (is_scalar != (piece.components == 0) && value->bits) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("'{}' has the type {}: {}", expression, value->type,
                                is_scalar ? std::string("a conversion with v is for vectors")
                                          : fmt::format("write %v{}{}", count, piece.conversion)));
      }
      one = ArgumentOf(piece, *value);
    }
    format += one.conversion;
    values.push_back(std::move(one.argument));
  }
  auto result = interp::FormatPrintf(format, values);
  if (!result.problems.empty()) {
    return Fail(ErrorKind::kUsage, result.problems.front().message);
  }
  return std::move(result.text);
}

Expected<void> DebugTerminal::PrintFormatted(const std::string& arguments) {
  const auto text = Formatted(arguments);
  if (!text) return tl::unexpected(text.error());
  Say(*text);
  return {};
}

// PLACE,"FORMAT"[, EXPRESSION...]
Expected<void> DebugTerminal::DynamicPrintf(const std::string& arguments) {
  const std::size_t quote = arguments.find('"');
  const std::size_t comma =
      quote == std::string::npos ? quote : arguments.find_last_not_of(" \t", quote - 1);
  if (quote == std::string::npos || quote == 0 || comma == std::string::npos ||
      arguments[comma] != ',') {
    return Fail(ErrorKind::kUsage, "dprintf PLACE,\"FORMAT\"[, EXPRESSION...]");
  }
  const std::string log = arguments.substr(quote);
  if (const auto request = ParseFormatRequest(log); !request)
    return tl::unexpected(request.error());
  const auto added = AddBreak(Trimmed(arguments.substr(0, comma)), false);
  if (!added) return tl::unexpected(added.error());
  (*added)->log = log;
  TellAdded("Dprintf", **added);
  return {};
}

// What breakpoints print that the run has come to.
void DebugTerminal::TellLogged(const SessionStop& stop) {
  frame_ = 0;
  item_.reset();
  for (const int number : stop.logged) {
    const SessionBreakpoint* one = session_.FindBreakpoint(number);
    if (one == nullptr) continue;
    if (one->logs) {
      if (tell_logged) tell_logged(number, stop);
      continue;
    }
    const auto text = Formatted(one->log);
    Say(text ? *text : fmt::format("dprintf {}: {}\n", number, text.error().message));
  }
}

}  // namespace assay::tools
