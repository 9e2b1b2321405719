#include "tools/bisect/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tools/bisect/c_expressions.h"
#include "tools/bisect/c_types.h"

namespace assay::tools {
namespace {

using frontend::Id;
using frontend::Op;

constexpr std::uint32_t kMaxSlots = Search::kWindow * Search::kWindows;

template <typename T, typename Bytes>
T At(const Bytes& bytes, std::size_t place) {
  T value{};
  if ((place + 1) * sizeof(T) <= bytes.size()) {
    std::memcpy(&value, bytes.data() + place * sizeof(T), sizeof(T));
  }
  return value;
}

}  // namespace

std::size_t PlaceOf(const interp::Job& job, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(job.buffers, name, &interp::JobBuffer::name) -
                                  job.buffers.begin());
}

std::pair<const char*, std::uint32_t> LogOf(const std::string& component) {
  if (component == "float") return {"log_float", 4};
  if (component == "double") return {"log_double", 8};
  if (component == "half") return {"log_half", 2};
  return {"log_ulong", 8};
}

Expected<void> Search::FindWriter(std::size_t buffer, std::uint64_t offset,
                                  const std::string& what) {
  const CProbe probe = {.kind = CProbe::Kind::kWriter, .item = subject_.Item()};
  auto kernel = WriteKernel(subject_.module(), subject_.kernel(), probe);
  if (!kernel) return tl::unexpected(kernel.error());
  const std::size_t own = subject_.job().buffers.size();
  auto job = subject_.With(
      *kernel, {ZeroBuffer("probe_who", "ulong", 2)},
      {interp::JobBufferUse{own}, interp::JobBufferUse{buffer}, ScalarArgument(offset, 8)});
  if (!job) return tl::unexpected(job.error());
  const std::size_t place = PlaceOf(*job, "probe_who");
  const auto ours = trials_.Interpret(*job);
  if (!ours) return tl::unexpected(ours.error());
  std::uint64_t who = At<std::uint64_t>((*ours)[place], 0);
  store_ = static_cast<std::uint32_t>(At<std::uint64_t>((*ours)[place], 1));
  if (who == 0) {
    // Nobody should write there; who does on the driver?
    const auto drivers = trials_.Drive(*job);
    if (!drivers) return tl::unexpected(drivers.error());
    who = At<std::uint64_t>((*drivers)[place], 0);
    store_ = static_cast<std::uint32_t>(At<std::uint64_t>((*drivers)[place], 1));
  }
  if (who == 0) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("no store of the kernel '{}' was found that writes {}",
                            subject_.kernel(), what));
  }
  item_ = who - 1;
  return {};
}

Expected<interp::Job> Search::LogJob(std::uint32_t from) const {
  const CProbe probe = {.kind = CProbe::Kind::kLog, .item = subject_.Item()};
  auto kernel = WriteKernel(subject_.module(), subject_.kernel(), probe);
  if (!kernel) return tl::unexpected(kernel.error());
  std::vector<interp::JobBuffer> buffers = {ZeroBuffer("log_ulong", "ulong", kWindow),
                                            ZeroBuffer("log_float", "float", kWindow)};
  if (kernel->has_doubles) buffers.push_back(ZeroBuffer("log_double", "double", kWindow));
  if (kernel->has_halfs) buffers.push_back(ZeroBuffer("log_half", "half", kWindow));
  buffers.push_back(ZeroBuffer("log_where", "uint", kWindow));
  std::vector<interp::JobArgument> more;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    more.emplace_back(interp::JobBufferUse{subject_.job().buffers.size() + i});
  }
  more.push_back(ScalarArgument(item_, 8));
  more.push_back(ScalarArgument(from, 4));
  more.push_back(ScalarArgument(from + kWindow, 4));
  return subject_.With(*kernel, std::move(buffers), std::move(more));
}

// The values of the driver, up to the place where it leaves what is allowed.
void Search::Learn(const interp::Job& job, const TrialOutcome& outcome) {
  const std::size_t where = PlaceOf(job, "log_where");
  std::size_t wrong = kWindow;
  std::string allowed;
  for (const Violation& one : outcome.violations) {
    const std::string& name = job.buffers[one.buffer].name;
    if (!name.starts_with("log_")) continue;
    const std::size_t slot = one.scalar.offset / job.buffers[one.buffer].type.bytes;
    if (slot > wrong || (slot == wrong && name != "log_where")) continue;
    wrong = slot;
    allowed = name == "log_where" ? "" : one.text;
  }
  Slot last;
  for (std::size_t slot = 0; slot < kWindow; ++slot) {
    const auto id = At<std::uint32_t>(outcome.expected[where], slot);
    if (id == 0 && slot != wrong) return;
    const std::string component = ProbedComponent(subject_.module(), id);
    const std::uint32_t components =
        CTypes(subject_.module()).Components(subject_.module().TypeOf(id));
    const bool goes_on = last.id == id && last.component + 1 < components;
    last = {id, goes_on ? last.component + 1 : 0, goes_on ? last.occurrence : occurrences_[id]++};
    slots_.push_back(last);
    if (slot == wrong) {
      found_ = Divergence{.value = id,
                          .occurrence = last.occurrence,
                          .item = item_,
                          .values_before = slots_.size() - 1,
                          .is_path = allowed.empty(),
                          .allowed = allowed};
      return;
    }
    const auto [name, bytes] = LogOf(component);
    const auto& log = outcome.observed[PlaceOf(job, name)];
    std::uint64_t bits = 0;
    std::memcpy(&bits, log.data() + slot * bytes, bytes);
    TracedValue& latest = latest_[id];
    if (!goes_on) latest = {id, {}};
    latest.bits.push_back(bits);
  }
}

Expected<bool> Search::Window(std::uint32_t from) {
  auto job = LogJob(from);
  if (!job) return tl::unexpected(job.error());
  const auto outcome = trials_.Run(*job, false);
  if (!outcome) return tl::unexpected(outcome.error());
  const std::size_t before = slots_.size();
  Learn(*job, *outcome);
  return !found_ && slots_.size() == before + kWindow;
}

Expected<interp::Job> Search::Cut(const Divergence& at, const CReduction& reduction, Focus* focus,
                                  CKernel* written) const {
  const bool is_repeated = at.occurrence != 0 || occurrences_.contains(at.value) == false ||
                           occurrences_.at(at.value) > 1;
  CProbe probe = {.kind = CProbe::Kind::kCut, .value = at.value, .item = subject_.Item()};
  if (is_repeated) probe.occurrence = at.occurrence;
  auto kernel = WriteKernel(subject_.module(), subject_.kernel(), probe, reduction);
  if (!kernel) return tl::unexpected(kernel.error());
  const std::string component = ProbedComponent(subject_.module(), at.value);
  const std::string type = component == "bool" || component == "char" ? "uchar" : component;
  const std::uint64_t count =
      CTypes(subject_.module()).Components(subject_.module().TypeOf(at.value));
  interp::JobBuffer cut = ZeroBuffer("cut", type, count * subject_.Items());
  *focus = {"cut", at.item * count * cut.type.bytes, (at.item + 1) * count * cut.type.bytes};
  if (written != nullptr) *written = *kernel;
  return subject_.With(*kernel, {std::move(cut)},
                       {interp::JobBufferUse{subject_.job().buffers.size()}});
}

// By a kernel that writes out this value alone.
Expected<bool> Search::IsWrong(Divergence* at) {
  Focus focus;
  auto job = Cut(*at, {}, &focus);
  if (!job) return tl::unexpected(job.error());
  auto outcome = trials_.Run(*job, false, &focus);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->violations.empty()) return false;
  at->allowed = outcome->violations[0].text;
  at->is_confirmed = true;
  return true;
}

Id Search::StoredValue() const {
  if (store_ >= subject_.module().instructions.size()) return 0;
  const frontend::Instruction& store = subject_.module().instructions[store_];
  const auto operands = subject_.module().Operands(store);
  if (store.opcode == Op::kStore) return operands[1];
  return store.opcode == Op::kExtInst && operands.size() > 2 ? operands[2] : 0;
}

// A kernel that writes out everything may compute otherwise than one that does not.  So the value
// that the driver has wrong at last is followed back, by kernels that write out one value each.
Expected<void> Search::ByCuts() {
  const Id stored = StoredValue();
  std::size_t last = slots_.size();
  while (last > 0 && slots_[last - 1].id != stored) --last;
  if (last == 0) return {};
  std::vector<Slot> values;
  for (std::size_t i = 0; i < last; ++i) {
    if (slots_[i].component == 0) values.push_back(slots_[i]);
  }
  const auto at = [&](std::size_t i) {
    return Divergence{.value = values[i].id,
                      .occurrence = values[i].occurrence,
                      .item = item_,
                      .values_before = i};
  };
  std::size_t right = 0, wrong = values.size() - 1;
  Divergence known = at(wrong);
  auto is_wrong = IsWrong(&known);
  if (!is_wrong) return tl::unexpected(is_wrong.error());
  if (!*is_wrong) return {};
  while (right < wrong) {
    const std::size_t middle = (right + wrong) / 2;
    Divergence tried = at(middle);
    is_wrong = IsWrong(&tried);
    if (!is_wrong) return tl::unexpected(is_wrong.error());
    if (*is_wrong) {
      wrong = middle;
      known = tried;
    } else {
      right = middle + 1;
    }
  }
  found_ = known;
  return {};
}

Expected<std::optional<Divergence>> Search::Run(const Violation& output) {
  const auto known = FindWriter(output.buffer, output.scalar.offset, output.text);
  if (!known) return tl::unexpected(known.error());
  for (std::uint32_t from = 0; from < kMaxSlots; from += kWindow) {
    const auto goes_on = Window(from);
    if (!goes_on) return tl::unexpected(goes_on.error());
    if (!*goes_on) break;
  }
  if (found_ && !found_->is_path) {
    const auto is_wrong = IsWrong(&*found_);
    if (!is_wrong) return tl::unexpected(is_wrong.error());
  }
  if (!found_) {
    if (auto done = ByCuts(); !done) return tl::unexpected(done.error());
  }
  if (found_) {
    const frontend::Instruction* one = subject_.module().Definition(found_->value);
    if (one == nullptr) return found_;
    std::vector<Id> seen;
    for (const Id id : ValueOperands(subject_.module(), *one)) {
      const auto known = latest_.find(id);
      if (known == latest_.end() || std::ranges::find(seen, id) != seen.end()) continue;
      seen.push_back(id);
      found_->operands.push_back(known->second);
    }
  }
  return found_;
}

}  // namespace assay::tools
