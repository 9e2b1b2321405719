#include "frontend/llvm_barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/llvm_lines.h"
#include "frontend/spirv.h"

namespace assay::frontend {
namespace {

constexpr auto kWorkGroup = static_cast<std::uint32_t>(Scope::kWorkgroup);
constexpr auto kSubGroup = static_cast<std::uint32_t>(Scope::kSubgroup);

// memory_order of OpenCL C, as atomic_work_item_fence takes it.
enum Order : std::uint8_t { kAcquire = 2, kRelease = 3, kAcqRel = 4, kSeqCst = 5, kGiven = 0xff };

// A function of OpenCL C: flags, then an order where it is given, then a memory scope where it is.
struct BarrierFunction {
  std::string_view mangled;
  std::uint32_t execution;  // the scope of a barrier; 0: a fence
  Order order;
  bool has_scope;
  bool is_known_to_clang22;
};
constexpr BarrierFunction kBarrierFunctions[] = {
    {"@_Z7barrierj(", kWorkGroup, kSeqCst, false, true},
    {"@_Z18work_group_barrierj(", kWorkGroup, kSeqCst, false, true},
    {"@_Z18work_group_barrierj12memory_scope(", kWorkGroup, kSeqCst, true, false},
    {"@_Z17sub_group_barrierj(", kSubGroup, kSeqCst, false, false},
    {"@_Z17sub_group_barrierj12memory_scope(", kSubGroup, kSeqCst, true, false},
    {"@_Z9mem_fencej(", 0, kAcqRel, false, false},
    {"@_Z14read_mem_fencej(", 0, kAcquire, false, false},
    {"@_Z15write_mem_fencej(", 0, kRelease, false, false},
    {"@_Z22atomic_work_item_fencej12memory_order12memory_scope(", 0, kGiven, true, true},
};

constexpr std::string_view kControl = "@_Z22__spirv_ControlBarrierjjj";
constexpr std::string_view kMemory = "@_Z21__spirv_MemoryBarrierjj";

// SPIR-V's words for orders and scopes, as tables that fit into a number: element i has `bits` at
// i * bits.
struct Table {
  std::uint32_t number;
  int bits;
};
constexpr Table kSemanticsOfOrder = {
    0x02U << 5 | 0x02U << 10 | 0x04U << 15 | 0x08U << 20 | 0x10U << 25, 5};
// work_item, work_group, device, all_svm_devices, sub_group.
constexpr Table kScopeOf = {4 | 2 << 4 | 1 << 8 | 0 << 12 | 3 << 16, 4};

// CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE are 1 and 2: WorkgroupMemory, CrossWorkgroupMemory are
// 0x100 and 0x200; CLK_IMAGE_MEM_FENCE is 4, ImageMemory 0x800.
constexpr std::uint32_t kPlainFlags = 3, kImageFlag = 4;
constexpr int kPlainShift = 8, kImageShift = 9;

// A value of type i32: its text, and its number where it is one.
struct Operand {
  std::string text;
  std::optional<std::uint32_t> number;
};

Operand Number(std::uint32_t number) { return {fmt::to_string(number), number}; }

// "  [tail ]call ... @FUNCTION(i32 ..., i32 ...)..., !dbg !N".
struct Call {
  const BarrierFunction* function = nullptr;
  std::vector<Operand> operands;
  std::string_view before;    // to the function's name
  std::string_view behind;    // what follows the parenthesis, without metadata
  std::string_view metadata;  // ", !dbg !12", or nothing

  bool IsComputed() const {
    return std::ranges::any_of(operands, [](const Operand& operand) { return !operand.number; });
  }
};

// The value of an argument "i32 noundef range(i32 0, 5) %x"; nothing for an expression.
std::optional<Operand> ReadArgument(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  if (!text.starts_with("i32 ") || blank == text.npos) return std::nullopt;
  const std::string_view value = text.substr(blank + 1);
  if (value.starts_with('%')) return Operand{std::string(value), std::nullopt};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return Number(static_cast<std::uint32_t>(number));
}

// The arguments from `text` on, and where their parenthesis is; nothing where one is not read.
std::optional<std::size_t> ReadArguments(std::string_view text, std::vector<Operand>* operands) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = depth == 0 && (text[i] == ',' || text[i] == ')');
    if (ends) {
      auto operand = ReadArgument(text.substr(begin, i - begin));
      if (!operand) return std::nullopt;
      operands->push_back(std::move(*operand));
      if (text[i] == ')') return i;
      begin = i + 2;
    }
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
  }
  return std::nullopt;
}

std::optional<Call> ReadBarrierCall(std::string_view line) {
  // Before the function there is nothing that could be a string or a name with blanks in quotes.
  if (!line.starts_with("  call ") && !line.starts_with("  tail call ")) return std::nullopt;
  for (const BarrierFunction& function : kBarrierFunctions) {
    const std::size_t at = line.find(function.mangled);
    if (at == line.npos || line.find('"') < at) continue;
    Call call;
    call.function = &function;
    const std::size_t open = at + function.mangled.size();
    const auto close = ReadArguments(line.substr(open), &call.operands);
    const std::size_t wanted =
        1 + (function.order == kGiven ? 1U : 0U) + (function.has_scope ? 1U : 0U);
    if (!close || call.operands.size() != wanted) return std::nullopt;
    const std::size_t end = std::min(line.find('\n'), line.size());
    const std::size_t metadata = std::min(line.find(", !", open + *close), end);
    call.before = line.substr(0, at);
    call.behind = line.substr(open + *close + 1, metadata - (open + *close + 1));
    call.metadata = line.substr(metadata, end - metadata);
    return call;
  }
  return std::nullopt;
}

bool Is(const Call& call, PlainBarriers which) {
  return call.IsComputed() ||
         (which == PlainBarriers::kForClang22 && !call.function->is_known_to_clang22);
}

// Writes the instructions that compute a call's operands.
class Computation {
 public:
  Computation(std::size_t call, std::string_view metadata) : call_(call), metadata_(metadata) {}

  std::string&& TakeText() { return std::move(text_); }

  Operand And(const Operand& operand, std::uint32_t mask) {
    if (operand.number) return Number(*operand.number & mask);
    return Emit(fmt::format("and i32 {}, {}", operand.text, mask));
  }
  Operand ShiftLeft(const Operand& operand, int shift) {
    if (operand.number) return Number(*operand.number << shift);
    return Emit(fmt::format("shl i32 {}, {}", operand.text, shift));
  }
  Operand Or(const Operand& left, const Operand& right) {
    if (left.number && right.number) return Number(*left.number | *right.number);
    return Emit(fmt::format("or i32 {}, {}", left.text, right.text));
  }
  // An index beyond the table, which is no order and no scope, gives one of its elements.
  Operand Find(const Table& table, const Operand& index) {
    const auto last = static_cast<std::uint32_t>(32 / table.bits - 1);
    const std::uint32_t mask = (1U << table.bits) - 1;
    if (index.number) {
      return Number(table.number >> (static_cast<int>(std::min(*index.number, last)) * table.bits) &
                    mask);
    }
    const Operand is_in = Emit(fmt::format("icmp ult i32 {}, {}", index.text, last));
    const Operand place =
        Emit(fmt::format("select i1 {}, i32 {}, i32 {}", is_in.text, index.text, last));
    const Operand shift = Emit(fmt::format("mul i32 {}, {}", place.text, table.bits));
    return And(Emit(fmt::format("lshr i32 {}, {}", table.number, shift.text)), mask);
  }

 private:
  Operand Emit(const std::string& instruction) {
    Operand result{fmt::format("%assay.barrier.{}.{}", call_, count_++), std::nullopt};
    text_ += fmt::format("  {} = {}{}\n", result.text, instruction, metadata_);
    return result;
  }

  std::size_t call_;
  std::string_view metadata_;
  std::size_t count_ = 0;
  std::string text_;
};

std::string Plain(const Call& call, std::size_t number) {
  const BarrierFunction& function = *call.function;
  Computation compute(number, call.metadata);
  const Operand& flags = call.operands[0];
  const Operand order = function.order == kGiven ? call.operands[1] : Number(function.order);
  const Operand scope =
      function.has_scope ? compute.Find(kScopeOf, call.operands.back()) : Number(kWorkGroup);
  // One after the other: in an order that no compiler chooses.
  const Operand plain = compute.ShiftLeft(compute.And(flags, kPlainFlags), kPlainShift);
  const Operand image = compute.ShiftLeft(compute.And(flags, kImageFlag), kImageShift);
  const Operand classes = compute.Or(plain, image);
  const Operand semantics = compute.Or(classes, compute.Find(kSemanticsOfOrder, order));
  std::string text = compute.TakeText();
  text += call.before;
  text += function.execution == 0 ? kMemory : kControl;
  text += '(';
  if (function.execution != 0) text += fmt::format("i32 {}, ", function.execution);
  text += fmt::format("i32 {}, i32 {})", scope.text, semantics.text);
  return text.append(call.behind).append(call.metadata).append("\n");
}

template <typename Visit>
void ForEachLine(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    if (!visit(TakeLine(&text))) return;
  }
}

// The declaration of `name` as that of a function that is here, for its attributes: above all
// that it is convergent.
std::string Declaration(std::string_view like, std::string_view mangled, std::string_view name,
                        std::string_view parameters) {
  const std::size_t at = like.find(mangled);
  const std::size_t close = like.find(')', at);
  const std::size_t end = std::min(like.find('\n'), like.size());
  return fmt::format("{}{}({}){}\n", like.substr(0, at), name, parameters,
                     like.substr(close + 1, end - close - 1));
}

}  // namespace

bool HasOtherBarriers(std::string_view ir, PlainBarriers which) {
  bool has = false;
  ForEachLine(ir, [&](std::string_view line) {
    const auto call = ReadBarrierCall(line);
    has = call && Is(*call, which);
    return !has;
  });
  return has;
}

std::string WithPlainBarriers(std::string_view ir, PlainBarriers which) {
  std::string text, control, memory;
  text.reserve(ir.size());
  std::size_t calls = 0;
  ForEachLine(ir, [&](std::string_view line) {
    const auto call = ReadBarrierCall(line);
    if (call && Is(*call, which)) {
      text += Plain(*call, calls++);
      return true;
    }
    // The order of uses, which clang-22 writes, is that of uses which are no longer there.
    if (line.starts_with("uselistorder") || line.starts_with("  uselistorder")) return true;
    text += line;
    if (!line.starts_with("declare ")) return true;
    for (const BarrierFunction& function : kBarrierFunctions) {
      if (line.find(function.mangled) == line.npos) continue;
      const bool is_fence = function.execution == 0;
      (is_fence ? memory : control) =
          Declaration(line, function.mangled, is_fence ? kMemory : kControl,
                      is_fence ? "i32, i32" : "i32, i32, i32");
    }
    return true;
  });
  if (calls == 0) return std::string(ir);
  if (!text.ends_with('\n')) text += '\n';
  // Those that the program has already stay.
  if (ir.find(kControl) == ir.npos) text += control;
  if (ir.find(kMemory) == ir.npos) text += memory;
  return text;
}

}  // namespace assay::frontend
