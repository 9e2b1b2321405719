// Variables from what debug information says about them: one place, or pieces.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/debug/evaluate.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::SourceType;
using frontend::StorageClass;
using frontend::TypeRef;

namespace {

// What SPIR-V computes with is no wider.
constexpr std::size_t kMostOperandBytes = 8;

}  // namespace

Expected<DebugValue> DebugEvaluator::ValueOf(const DebugLocal& local) {
  if (local.IsLost()) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is {}", local.name, local.Why()));
  }
  if (local.type == 0) {
    return Fail(ErrorKind::kUsage, fmt::format("the type of '{}' is not known", local.name));
  }
  const DebugPiece& first = local.pieces.front();
  const bool is_whole =
      local.pieces.size() == 1 && first.begin == 0 && first.end == DebugPiece::kAll;
  return is_whole ? ValueOfPiece(local, first, true) : PutTogether(local);
}

// Bytes that no piece has are missing.  A piece may be of a record that says where more is, of
// which other records have taken bits away.
Expected<DebugValue> DebugEvaluator::PutTogether(const DebugLocal& local) {
  const std::uint64_t bytes = TypeAt(local.type).bytes;
  if (bytes > kMostValueBytes) return DebugMemory::TooLarge(bytes);
  DebugValue whole = Make(local.type, 0);
  whole.place = DebugValue::Place::kParts;
  std::vector<bool> known(bytes, false);
  std::string why = "optimized out";
  for (const DebugPiece& piece : local.pieces) {
    // Parts of bytes, which bit fields are, are not known.
    const std::uint64_t begin = (std::uint64_t{piece.begin} + 7) / 8;
    const std::uint64_t end = std::min<std::uint64_t>(piece.end / 8, bytes);
    if (piece.where == DebugPiece::Where::kLost || begin >= end || piece.first % 8 != 0) continue;
    const auto value = ValueOfPiece(local, piece, false);
    const std::uint64_t from = begin - piece.first / 8;
    if (!value || value->bytes.size() <= from) continue;
    const DebugValue slice =
        value->Slice(from, std::min<std::uint64_t>(end - begin, value->bytes.size() - from));
    std::ranges::copy(slice.bytes, whole.bytes.begin() + static_cast<std::ptrdiff_t>(begin));
    std::fill_n(known.begin() + static_cast<std::ptrdiff_t>(begin), slice.bytes.size(), true);
    if (slice.IsUndefined()) {
      whole.undefined.resize(bytes);
      std::ranges::copy(slice.undefined,
                        whole.undefined.begin() + static_cast<std::ptrdiff_t>(begin));
      if (whole.why_undefined.empty()) whole.why_undefined = slice.why_undefined;
    }
    if (slice.place == DebugValue::Place::kMemory) {
      whole.parts.push_back({begin, slice.bytes.size(), std::nullopt, slice.address});
    }
    for (DebugPart part : slice.parts) {
      part.offset += begin;
      whole.parts.push_back(part);
    }
  }
  if (!memory_.SetMissing(known, &whole)) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is optimized out", local.name));
  }
  return whole;
}

// Of a fragment all that its record is about, from `piece.first` on; for an unknown expression an
// error, and never a wrong value.
Expected<DebugValue> DebugEvaluator::ValueOfPiece(const DebugLocal& local, const DebugPiece& piece,
                                                  bool is_whole) {
  const auto lost = [&] {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is optimized out", local.name));
  };
  const auto steps = frontend::ReadDebugSteps(scope_.program->module, piece.expression);
  const auto fragment = frontend::FragmentOf(steps);
  frontend::SourceTypes& types = scope_.program->types;
  TypeRef type = local.type;
  if (!is_whole) {
    const std::uint64_t all = TypeAt(local.type).bytes;
    const std::uint64_t bytes = fragment ? fragment->size / 8 : all;
    if (bytes == 0 || bytes > all) return lost();
    type = types.ArrayOf(types.Scalar(SourceKind::kUnsigned, 8), bytes);
    if (!fragment) type = local.type;
  }
  auto value = ValueOfId(piece.target, 0);
  if (!value) return value;
  if (piece.where == DebugPiece::Where::kMemory || !frontend::IsPlain(steps)) {
    auto made = Follow(piece, steps, *value);
    if (!made) return lost();
    // What is wrong with an address is worth saying.
    if (made->is_address) return memory_.Load(scope_.item, made->address, type);
    value = std::move(made->value);
  }
  const SourceType& wanted = TypeAt(type);
  const bool is_integer = TypeAt(value->type).IsInteger();
  if (value->bytes.size() == wanted.bytes) {
    value->type = type;
    return value;
  }
  // A parameter that the compiler made wider, or a constant.
  if ((wanted.IsScalar() || !is_whole) && is_integer && value->bytes.size() > wanted.bytes) {
    DebugValue low = value->Slice(0, wanted.bytes);
    low.type = type;
    return low;
  }
  return lost();
}

// Nothing for what no integer or pointer stands for, and for steps that are not known.
std::optional<DebugEvaluator::Followed> DebugEvaluator::Follow(
    const DebugPiece& piece, std::span<const frontend::DebugStep> steps, const DebugValue& value) {
  frontend::SourceTypes& types = scope_.program->types;
  const SourceType source = TypeAt(value.type);
  if (value.bytes.size() > kMostOperandBytes ||
      (!source.IsScalar() && source.kind != SourceKind::kPointer)) {
    return std::nullopt;
  }
  frontend::DebugOperand operand{.bits = value.Bits(),
                                 .width = static_cast<std::uint32_t>(value.bytes.size() * 8)};
  if (!value.undefined.empty()) {
    std::memcpy(&operand.undefined, value.undefined.data(), value.undefined.size());
  }
  // SPIR-V's Boolean has one bit.
  if (source.kind == SourceKind::kBool) operand.width = 1;
  const TypeRef pointer = types.PointerTo(types.Void(), StorageClass::kGeneric);
  const auto load = [&](std::uint64_t address) -> std::optional<std::uint64_t> {
    const auto loaded = memory_.Load(scope_.item, address, pointer);
    if (!loaded || loaded->IsUndefined()) return std::nullopt;
    return loaded->Bits();
  };
  const auto result =
      frontend::FollowDebugSteps(steps, operand, piece.where == DebugPiece::Where::kMemory, load);
  if (!result) return std::nullopt;
  if (result->is_address) return Followed{.is_address = true, .address = result->value.bits};
  // A truth value is one byte in OpenCL C.
  const std::uint64_t bytes = (std::uint64_t{result->value.width} + 7) / 8;
  if (bytes == 0) return std::nullopt;
  Followed followed;
  DebugValue& made = followed.value;
  if (result->is_kept) {
    made = value.Slice(0, bytes);
  } else {
    made.bytes.resize(bytes);
    made.why_undefined = value.why_undefined;
    if (result->value.undefined != 0) made.undefined.resize(bytes);
  }
  made.type = types.Scalar(SourceKind::kUnsigned, static_cast<std::uint32_t>(bytes * 8));
  std::memcpy(made.bytes.data(), &result->value.bits, bytes);
  if (!made.undefined.empty()) {
    std::memcpy(made.undefined.data(), &result->value.undefined, bytes);
  }
  return followed;
}

}  // namespace assay::interp
