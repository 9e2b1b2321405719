#include "tools/bisect/reduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tools/bisect/c_expressions.h"
#include "tools/bisect/c_types.h"

namespace assay::tools {
namespace {

using frontend::Id;
using frontend::Instruction;

constexpr int kMaxTrials = 48;
constexpr std::uint64_t kMaxItems = 1024;

std::string BufferType(const std::string& component, std::uint32_t count) {
  const std::string type = component == "bool" || component == "char" ? "uchar" : component;
  return count == 1 ? type : fmt::format("{}{}", type, count);
}

// The instruction alone, with the operands that the work-item has.
class Alone {
 public:
  Alone(const Subject& subject, Trials* trials, const Divergence& found)
      : subject_(subject),
        trials_(*trials),
        found_(found),
        one_(*subject.module().Definition(found.value)) {}

  Expected<std::optional<ReducedKernel>> Run() {
    if (!IsPure()) return std::nullopt;
    const std::uint64_t group = Group();
    struct Form {
      std::uint64_t items;
      bool is_literal;
      const char* how;
    };
    const Form forms[] = {
        {1, false, "the instruction alone, with its operands in buffers"},
        {group, false, "the instruction alone, with the same operands in a whole work-group"},
        {1, true, "the instruction alone, with its operands as constants"},
    };
    for (const Form& form : forms) {
      if (form.items == 1 && &form == &forms[1]) continue;
      auto job = Job(form.items, form.is_literal);
      if (!job) return tl::unexpected(job.error());
      const auto outcome = trials_.Run(*job, false);
      // A driver that does not compile it is no example.
      if (!outcome || outcome->violations.empty()) continue;
      return ReducedKernel{text_, std::move(*job), outcome->violations[0].text, form.how};
    }
    return std::nullopt;
  }

 private:
  const TracedValue* Operand(Id id) const {
    const auto found = std::ranges::find(found_.operands, id, &TracedValue::id);
    return found == found_.operands.end() ? nullptr : &*found;
  }

  // A function of values that are known.
  bool IsPure() {
    CTypes types(subject_.module());
    CExpressions expressions(&types, [&](Id id) {
      if (types.IsPointer(subject_.module().TypeOf(id))) types.Fail("a pointer");
      if (subject_.module().constants.Find(id) == nullptr && Operand(id) == nullptr) {
        types.Fail("an operand that is not known");
      }
      return std::string("x");
    });
    return !expressions.Of(one_).empty() && types.problem().empty() && !found_.operands.empty();
  }

  std::uint64_t Group() const {
    const auto& local = subject_.launch().range.local;
    const std::uint64_t size = local ? (*local)[0] * (*local)[1] * (*local)[2] : 64;
    return std::min(std::min(size, subject_.Items()), kMaxItems);
  }

  interp::JobBuffer OperandBuffer(const TracedValue& value, std::size_t number,
                                  std::uint64_t items) const {
    const CTypes types(subject_.module());
    const Id type = subject_.module().TypeOf(value.id);
    const std::string component = types.Component(type);
    interp::JobBuffer buffer = ZeroBuffer(fmt::format("x{}", number),
                                          BufferType(component, types.Components(type)), items);
    const std::size_t width = numerics::SizeOf(ScalarOf(buffer.type));
    for (std::uint64_t item = 0; item < items; ++item) {
      for (std::size_t i = 0; i < value.bits.size(); ++i) {
        std::memcpy(buffer.bytes.data() + item * buffer.type.bytes + i * width, &value.bits[i],
                    width);
      }
    }
    return buffer;
  }

  Expected<interp::Job> Job(std::uint64_t items, bool is_literal) {
    const frontend::Module& module = subject_.module();
    CTypes types(module);
    std::vector<std::string> parameters;
    std::vector<interp::JobBuffer> buffers;
    std::map<Id, std::string> names;
    for (const TracedValue& value : found_.operands) {
      const Id type = module.TypeOf(value.id);
      if (is_literal) {
        names[value.id] = types.Literal(type, value.bits);
        continue;
      }
      const std::size_t number = buffers.size();
      const std::string name =
          types.IsBools(type) && !types.IsVector(type) ? "uchar" : types.Name(type);
      parameters.push_back(fmt::format("global const {}* x{}", name, number));
      names[value.id] = types.IsBools(type) && !types.IsVector(type)
                            ? fmt::format("(x{}[i] != 0)", number)
                            : fmt::format("x{}[i]", number);
      buffers.push_back(OperandBuffer(value, number, items));
    }
    CExpressions expressions(&types, [&](Id id) {
      const auto known = names.find(id);
      return known == names.end() ? types.Constant(id) : known->second;
    });
    const std::string value = expressions.Of(one_);
    const bool is_bool = types.IsBools(one_.type) && !types.IsVector(one_.type);
    parameters.push_back(fmt::format("global {}* y", is_bool ? "uchar" : types.Name(one_.type)));
    text_ = types.Definitions() +
            fmt::format(
                "kernel void first_divergence({}) {{\n  size_t i = get_global_id(0);\n"
                "  y[i] = {};\n}}\n",
                fmt::join(parameters, ", "), value);
    buffers.push_back(ZeroBuffer(
        "y", BufferType(types.Component(one_.type), types.Components(one_.type)), items));
    interp::JobLaunch launch;
    launch.kernel = "first_divergence";
    launch.range.global[0] = items;
    launch.range.local = std::array<std::uint64_t, 3>{items, 1, 1};
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      launch.arguments.emplace_back(interp::JobBufferUse{i});
    }
    return subject_.Alone(text_, std::move(buffers), std::move(launch));
  }

  const Subject& subject_;
  Trials& trials_;
  const Divergence& found_;
  const Instruction& one_;
  std::string text_;
};

// The kernel that writes out the value, without all that it can do without.
class Smaller {
 public:
  Smaller(const Subject& subject, Trials* trials, const Search& search, const Divergence& found)
      : subject_(subject), trials_(*trials), search_(search), found_(found) {}

  Expected<std::optional<ReducedKernel>> Run() {
    reduction_.drops_unused = true;
    trials_.LimitInstructions();
    if (auto shows = Try(reduction_); !shows || !*shows) {
      if (!shows) return tl::unexpected(shows.error());
      return std::nullopt;
    }
    if (auto done = DropBranches(); !done) return tl::unexpected(done.error());
    if (auto done = DropStatements(); !done) return tl::unexpected(done.error());
    return ReducedKernel{kernel_.text, std::move(job_), allowed_,
                         "the kernel, without what the fault does not need"};
  }

 private:
  // Keeps the reduction where the kernel still shows the fault, and has no undefined behavior.
  Expected<bool> Try(const CReduction& reduction) {
    if (++tried_ > kMaxTrials) return false;
    Focus focus;
    CKernel kernel;
    auto job = search_.Cut(found_, reduction, &focus, &kernel);
    if (!job) return tl::unexpected(job.error());
    const auto outcome = trials_.Run(*job, true, &focus);
    if (!outcome || outcome->violations.empty() || !outcome->findings.empty()) return false;
    reduction_ = reduction;
    kernel_ = std::move(kernel);
    job_ = std::move(*job);
    allowed_ = outcome->violations[0].text;
    return true;
  }

  Expected<void> DropBranches() {
    for (const Id label : std::vector<Id>(kernel_.branches)) {
      if (std::ranges::find(kernel_.branches, label) == kernel_.branches.end()) continue;
      const frontend::Module& module = subject_.module();
      const auto block = std::ranges::find(module.blocks, label, &frontend::Block::label);
      for (const std::uint32_t next : block->successors.Of(module.edges)) {
        CReduction smaller = reduction_;
        smaller.one_way[label] = module.blocks[next].label;
        const auto shows = Try(smaller);
        if (!shows) return tl::unexpected(shows.error());
        if (*shows) break;
      }
    }
    return {};
  }

  // Halves of the statements, then quarters, down to single ones, from the end.
  Expected<void> DropStatements() {
    for (std::size_t size = std::max<std::size_t>(kernel_.statements.size() / 2, 1);; size /= 2) {
      for (std::size_t end = kernel_.statements.size(); end > 0;) {
        const std::size_t first = end > size ? end - size : 0;
        const std::vector<std::uint32_t> now = kernel_.statements;
        CReduction smaller = reduction_;
        for (std::size_t i = first; i < std::min(end, now.size()); ++i) {
          smaller.removed.insert(now[i]);
        }
        const auto shows = Try(smaller);
        if (!shows) return tl::unexpected(shows.error());
        end = first;
      }
      if (size <= 1) return {};
    }
  }

  const Subject& subject_;
  Trials& trials_;
  const Search& search_;
  const Divergence& found_;
  CReduction reduction_;
  CKernel kernel_;
  interp::Job job_;
  std::string allowed_;
  int tried_ = 0;
};

}  // namespace

Expected<std::optional<ReducedKernel>> Reduce(const Subject& subject, Trials* trials,
                                              const Search& search, const Divergence& found) {
  if (found.is_path) return std::nullopt;
  auto alone = Alone(subject, trials, found).Run();
  if (!alone || *alone) return alone;
  return Smaller(subject, trials, search, found).Run();
}

}  // namespace assay::tools
