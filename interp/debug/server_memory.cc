// Memory for a front end.
#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/server.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::TypeRef;

namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostExamined = 65536;

}  // namespace

// gdb's x: `count` elements of `size` bytes from an address on.
Expected<debug::ExamineAnswer> DebugServer::Reply(const debug::ExamineRequest& request) {
  const auto scope = ScopeOfTarget(request.target);
  if (!scope) return tl::unexpected(scope.error());
  DebugProgram& program = *core_.program();
  const auto parsed = ParseDebugExpression(request.expression, &program.types);
  if (!parsed) return tl::unexpected(parsed.error());
  const auto start = DebugEvaluator(*scope).Evaluate(*parsed);
  if (!start) return tl::unexpected(start.error());
  if (start->IsMissing()) return Fail(ErrorKind::kUsage, "some of it is optimized out");
  const SourceType& type = program.types.At(start->type);
  const bool is_place =
      type.kind == SourceKind::kArray && start->place == DebugValue::Place::kMemory;
  if (type.kind != SourceKind::kPointer && !type.IsInteger() && !is_place) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a {} is no address; write &{}", type.name, request.expression));
  }
  const Address address = is_place ? start->address : start->Bits();
  const char letter = DebugFormatOf(request).letter;
  // What the format or the pointer says, where the size was not asked for.
  std::uint32_t size = request.size;
  if (size == 0 && letter == 'c') size = 1;
  if (letter == 's') return ExamineText(*scope, address, std::min(request.count, kMostExamined));
  if (size == 0 && letter == 'f') {
    const SourceType& target = program.types.At(type.element);
    if (target.kind == SourceKind::kFloat) size = static_cast<std::uint32_t>(target.bytes);
  }
  return ExamineNumbers(*scope, address, size == 0 ? 4 : size, request);
}

Expected<debug::ExamineAnswer> DebugServer::ExamineNumbers(
    const DebugScope& scope, Address address, std::uint32_t size,
    const debug::ExamineRequest& request) const {
  DebugProgram& program = *core_.program();
  DebugFormat format = DebugFormatOf(request);
  const std::uint64_t count = request.count;
  if (count > kMostExamined) {
    return Fail(ErrorKind::kUsage, fmt::format("x shows at most {} at once", kMostExamined));
  }
  const SourceKind kind = format.letter == 'f'                           ? SourceKind::kFloat
                          : format.letter == 'd' || format.letter == 'c' ? SourceKind::kSigned
                                                                         : SourceKind::kUnsigned;
  if (kind == SourceKind::kFloat && size == 1) {
    return Fail(ErrorKind::kUsage, "no floating-point number has one byte");
  }
  const TypeRef element = program.types.Scalar(kind, size * 8);
  if (format.letter == 'f') format.letter = 0;
  const DebugMemory memory(program);
  debug::ExamineAnswer answer;
  const std::uint64_t in_row = std::max<std::uint64_t>(16 / size, 1);
  bool is_readable = true;
  for (std::uint64_t i = 0; i < count && is_readable; i += in_row) {
    std::vector<std::string> values;
    for (std::uint64_t j = i; j < std::min(count, i + in_row); ++j) {
      auto value = memory.Load(scope.item, address + j * size, element);
      if (!value) {
        if (answer.rows.empty() && values.empty()) return tl::unexpected(value.error());
        values.push_back("<" + value.error().message + ">");
        is_readable = false;
        break;
      }
      value->why_undefined.clear();
      std::string text = FormatValue(program, *value, format);
      // Bits beside each number would fill the row.
      if (const std::size_t bits = text.find(" ("); bits != std::string::npos) text.resize(bits);
      values.push_back(std::move(text));
    }
    const Address row = address + i * size;
    answer.rows.push_back({row, memory.DescribeAddress(row), std::move(values)});
  }
  return answer;
}

// The text of bytes that end with zero, at an address; the array of them, with the zero.
Expected<DebugValue> DebugServer::TextAt(const DebugScope& scope, Address address) const {
  constexpr std::uint64_t kLongest = 200;
  DebugProgram& program = *core_.program();
  const DebugMemory memory(program);
  std::uint64_t length = 0;
  for (bool goes_on = true; goes_on && length < kLongest; ++length) {
    const auto host = memory.Host(scope.item, address + length, 1);
    if (!host && length == 0) return tl::unexpected(host.error());
    if (!host) break;
    goes_on = **host != std::byte{0};
  }
  const TypeRef byte = program.types.Scalar(SourceKind::kUnsigned, 8);
  return memory.Load(scope.item, address, program.types.ArrayOf(byte, length));
}

// Texts of bytes that end with zero, one behind the other.
Expected<debug::ExamineAnswer> DebugServer::ExamineText(const DebugScope& scope, Address address,
                                                        std::uint64_t count) const {
  DebugProgram& program = *core_.program();
  debug::ExamineAnswer answer;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto text = TextAt(scope, address);
    if (!text && answer.rows.empty()) return tl::unexpected(text.error());
    if (!text) break;
    answer.rows.push_back({address,
                           DebugMemory(program).DescribeAddress(address),
                           {FormatValue(program, *text, {.letter = 's'})}});
    address += text->bytes.size();
  }
  return answer;
}

// Bytes as hexadecimal digits, as far as the object reaches.
Expected<debug::ReadMemoryAnswer> DebugServer::Reply(const debug::ReadMemoryRequest& request) {
  const auto item = ItemOf(request.item);
  if (!item) return tl::unexpected(item.error());
  const Address address = request.address;
  std::uint64_t count = std::min(request.bytes, kMostMemory);
  const DebugMemory memory(*core_.program());
  auto host = memory.Host(*item, address, count);
  if (!host) {
    // What is left of the object.
    const Region* region = item->batch == nullptr ? nullptr : item->batch->FindRegion(address);
    const bool is_inside = region != nullptr && region->address != 0 &&
                           address >= region->address && address - region->address < region->bytes;
    if (!is_inside) return tl::unexpected(host.error());
    count = std::min(count, region->bytes - (address - region->address));
    host = memory.Host(*item, address, count);
    if (!host) return tl::unexpected(host.error());
  }
  constexpr char kDigits[] = "0123456789abcdef";
  debug::ReadMemoryAnswer answer;
  answer.hex.reserve(2 * count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned>((*host)[i]);
    answer.hex += kDigits[byte >> 4];
    answer.hex += kDigits[byte & 15];
  }
  return answer;
}

Expected<debug::WriteMemoryAnswer> DebugServer::Reply(const debug::WriteMemoryRequest& request) {
  const auto item = ItemOf(request.item);
  if (!item) return tl::unexpected(item.error());
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < request.hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(request.hex.substr(i, 2), nullptr, 16)));
  }
  const auto stored = DebugMemory(*core_.program()).Store(*item, request.address, bytes);
  if (!stored) return tl::unexpected(stored.error());
  return debug::WriteMemoryAnswer{bytes.size()};
}

Expected<debug::ObjectsAnswer> DebugServer::Reply(const debug::ObjectsRequest&) {
  const DebugProgram& program = *core_.program();
  debug::ObjectsAnswer answer;
  const auto regions =
      program.workers.empty() ? program.launch.memory->regions() : program.workers[0]->regions();
  for (const Region& region : regions) {
    if (region.address == 0 || region.is_continuation || region.ended) continue;
    if (region.space == AddressSpace::kPrivate &&
        (region.variable >= program.program.variables.size() ||
         program.program.variables[region.variable].address != region.address)) {
      continue;
    }
    answer.objects.push_back({.address = region.address,
                              .bytes = region.bytes,
                              .space = std::string(AddressSpaceName(region.space)),
                              .name = std::string(program.launch.memory->NameOf(region.object)),
                              .writable = region.writable});
  }
  return answer;
}

}  // namespace assay::interp
