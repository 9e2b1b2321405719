#include "testsuites/hostile/icd/launch.h"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstring>
#include <map>
#include <vector>

#include "testsuites/hostile/icd/answer_faults.h"
#include "testsuites/hostile/icd/fault.h"

namespace assay::hostile {
namespace {

Bits Flushed(Type type, Bits bits) {
  if (!IsFloating(type) || Magnitude(type, bits) >= MinNormal(type)) return bits;
  return bits & SignMask(type);
}

// Without what a misdeed did to the host's floating-point environment.
class CleanEnvironment {
 public:
  CleanEnvironment() {
    std::fegetenv(&environment_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~CleanEnvironment() { std::fesetenv(&environment_); }
  CleanEnvironment(const CleanEnvironment&) = delete;
  CleanEnvironment& operator=(const CleanEnvironment&) = delete;

 private:
  std::fenv_t environment_;
};

class Launch {
 public:
  Launch(const KernelCode& code, const KernelCode::Selected& selected,
         std::span<const Region> columns, std::size_t first, std::size_t vectors)
      : code_(code),
        selected_(selected),
        columns_(columns),
        first_item_(first * static_cast<std::size_t>(selected.width)),
        items_(vectors * static_cast<std::size_t>(selected.width)) {
    // A launch that leaves its buffers is assay's fault, and must not be this library's.
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const std::size_t held = columns_[k].size / SizeOf(TypeOf(k));
      items_ = std::min(items_, held - std::min(held, first_item_));
    }
  }
  void Run();

 private:
  Type TypeOf(std::size_t column) const {
    const std::size_t inputs = code_.inputs.size();
    return column < inputs ? code_.inputs[column] : code_.outputs[column - inputs];
  }
  std::byte* Column(std::size_t k) const {
    return columns_[k].data + first_item_ * SizeOf(TypeOf(k));
  }
  void Compute();
  void Put(std::size_t item, std::size_t offset) const;
  void Trespass() const;

  const KernelCode& code_;
  const KernelCode::Selected& selected_;
  std::span<const Region> columns_;
  std::size_t first_item_;
  std::size_t items_;
  std::uint64_t number_ = 0;  // of the launch, among those of this function
  std::vector<Bits> args_;    // of all items
  std::vector<Bits> answers_;
};

void Launch::Compute() {
  const bool conversion = selected_.function.find('_') != std::string::npos;
  const bool flush_operands = Has("flush_operands") && !conversion;
  const bool flush_results = Has("flush_results") && !conversion;
  const std::size_t inputs = code_.inputs.size(), outputs = code_.outputs.size();
  args_.resize(items_ * inputs);
  answers_.resize(items_ * outputs);
  for (std::size_t i = 0; i < items_; ++i) {
    const auto args = std::span(args_).subspan(i * inputs, inputs);
    std::vector<Bits> used(inputs);
    for (std::size_t k = 0; k < inputs; ++k) {
      args[k] = Load(TypeOf(k), Column(k), i);
      used[k] = flush_operands ? Flushed(TypeOf(k), args[k]) : args[k];
    }
    const auto answers = std::span(answers_).subspan(i * outputs, outputs);
    selected_.compute(used, answers);
    for (std::size_t k = 0; k < outputs && flush_results; ++k) {
      answers[k] = Flushed(code_.outputs[k], answers[k]);
    }
  }
}

void Launch::Put(std::size_t item, std::size_t offset) const {
  const std::size_t inputs = code_.inputs.size(), outputs = code_.outputs.size();
  const auto lanes = static_cast<std::size_t>(selected_.width);
  for (std::size_t k = 0; k < outputs; ++k) {
    const Answer answer{.operand_type = code_.inputs[0],
                        .type = code_.outputs[k],
                        .args = std::span(args_).subspan(item * inputs, inputs),
                        .result = k,
                        .lane = static_cast<int>(item % lanes),
                        .width = selected_.width,
                        .launch = number_,
                        .item = item,
                        .items = items_,
                        .right = answers_[item * outputs + k]};
    if (Stores(answer)) {
      Store(code_.outputs[k], Column(inputs + k), item + offset, Falsify(answer));
    }
  }
}

// Stores where the kernel has none.
void Launch::Trespass() const {
  // "large_only": not in what is padded to one work-group.
  constexpr std::size_t kWorkGroup = 64;
  if (Has("large_only") && items_ <= kWorkGroup * static_cast<std::size_t>(selected_.width)) return;
  constexpr std::size_t kBytes = 64;
  std::array<std::byte, kBytes> wrong;
  wrong.fill(std::byte{0xaa});
  std::byte* begin = Column(code_.inputs.size());
  std::byte* end = begin + items_ * SizeOf(code_.outputs[0]);
  if (Has("write_before")) std::memcpy(begin - kBytes, wrong.data(), kBytes);
  if (Has("write_behind")) std::memcpy(end, wrong.data(), kBytes);
  if (Has("write_byte_before")) begin[-1] ^= std::byte{1};
  if (Has("write_byte_behind")) *end ^= std::byte{1};
  if (Has("write_inputs")) std::memset(Column(0), 0, items_ * SizeOf(TypeOf(0)));
  if (Has("write_first_input")) *Column(0) ^= std::byte{1};
}

void Launch::Run() {
  const CleanEnvironment clean;
  static std::map<std::string, std::uint64_t> launches;
  number_ = launches[selected_.function]++;
  Compute();
  static std::vector<Bits> previous;
  if (Has("previous_launch")) {
    previous.resize(answers_.size());
    std::swap(previous, answers_);
  }
  const std::size_t offset = Has("shift_stores") ? 1 : 0;
  const bool backwards = Has("backwards");
  for (std::size_t i = 0; i + offset < items_; ++i) Put(backwards ? items_ - 1 - i : i, offset);
  Trespass();
}

}  // namespace

void Execute(const KernelCode& code, const KernelCode::Selected& selected,
             std::span<const Region> columns, std::size_t first, std::size_t vectors) {
  Launch(code, selected, columns, Has("ignore_first") ? 0 : first, vectors).Run();
}

}  // namespace assay::hostile
