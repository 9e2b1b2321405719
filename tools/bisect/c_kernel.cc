#include "tools/bisect/c_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "frontend/kernel_body.h"
#include "tools/bisect/c_function.h"
#include "tools/bisect/c_types.h"

namespace assay::tools {
namespace {

using frontend::Id;
using frontend::Op;
using frontend::StorageClass;

constexpr const char* kWriterMacro =
    "#define WRITES(p, bytes, place) if (probe_at - (ulong)(p) < (ulong)(bytes)) {{ \\\n"
    "  probe_who[0] = {} + 1; probe_who[1] = place; }}\n";
constexpr const char* kLogMacro =
    "#define LOG(type, id, value) do {{ if (log->on) {{ \\\n"
    "  if (log->n >= log->from && log->n < log->to) {{ \\\n"
    "    log->to_##type[log->n - log->from] = value; log->where[log->n - log->from] = id; }} \\\n"
    "  log->n++; }} }} while (0)\n"
    "typedef struct {{ global ulong* to_ulong; global float* to_float; {}{}global uint* where; "
    "uint n, from, to, on; }} Log;\n";

class Writer {
 public:
  Writer(const frontend::Module& module, const CProbe& probe, const CReduction& reduction)
      : module_(module), types_(module), probe_(probe), reduction_(reduction) {
    for (const frontend::Type& type : module.types.All()) {
      if (type.kind != frontend::TypeKind::kFloat) continue;
      made_.has_doubles |= type.width == 64;
      made_.has_halfs |= type.width == 16;
    }
  }

  Expected<CKernel> Write(const std::string& name) {
    const frontend::EntryPoint* entry = module_.FindKernel(name);
    if (entry == nullptr) return Fail(ErrorKind::kUsage, "the module has no kernel " + name);
    const frontend::Function* function = Body(Inner(*module_.FindFunction(entry->function)));
    CFunction kernel(&types_, *function, probe_, reduction_, &made_);
    std::vector<Id> called;
    const std::string body = Start() + kernel.Body(true, &called);
    made_.parameters = kernel.Parameters();
    std::vector<std::string> parameters;
    const auto all = function->parameters.Of(module_.parameters);
    for (const std::size_t i : made_.parameters) parameters.push_back(kernel.ParameterText(all[i]));
    for (std::string& one : OwnParameters()) parameters.push_back(std::move(one));
    std::string text = "kernel ";
    if (const auto& size = entry->required_local_size) {
      text += fmt::format("__attribute__((reqd_work_group_size({}, {}, {}))) ", (*size)[0],
                          (*size)[1], (*size)[2]);
    }
    text += fmt::format("void {}({}) {{\n{}}}\n", name, fmt::join(parameters, ", "), body);
    std::set<Id> globals = kernel.globals();
    std::string functions;
    for (const Id id : called) functions += Function(id, &globals);
    const std::string constants = Globals(globals);
    made_.text = types_.Definitions() + Macros() + constants + functions + text;
    if (types_.problem().empty()) return std::move(made_);
    return assay::Fail(ErrorKind::kUnsupported,
                       fmt::format("the kernel '{}' cannot be written as OpenCL C: it has {}", name,
                                   types_.problem()));
  }

 private:
  // The translator makes of a kernel that others may call a function, and a kernel that calls it.
  const frontend::Function* Inner(const frontend::Function& outer) const {
    if (outer.blocks.count != 1) return &outer;
    const auto instructions =
        outer.blocks.Of(module_.blocks)[0].instructions.Of(module_.instructions);
    const frontend::Instruction* call = nullptr;
    for (const frontend::Instruction& one : instructions) {
      if (one.opcode == Op::kFunctionCall && call == nullptr) {
        call = &one;
      } else if (one.opcode != Op::kReturn && one.opcode != Op::kLine &&
                 one.opcode != Op::kNoLine && one.opcode != Op::kExtInst) {
        return &outer;
      }
    }
    if (call == nullptr) return &outer;
    const auto operands = module_.Operands(*call).subspan(1);
    const auto parameters = outer.parameters.Of(module_.parameters);
    const bool is_same = std::ranges::equal(operands, parameters, {}, {}, &frontend::Parameter::id);
    const frontend::Function* inner = module_.FindFunction(module_.Operands(*call)[0]);
    return is_same && inner != nullptr && !inner->IsDeclaration() ? inner : &outer;
  }

  const frontend::Function* Body(const frontend::Function* kernel) const {
    const std::string name =
        std::string(frontend::kKernelBodyPrefix) + std::string(module_.NameOf(kernel->id));
    for (const frontend::Function& one : module_.functions) {
      const bool is_body = one.type == kernel->type && !one.IsDeclaration();
      if (is_body && module_.NameOf(one.id) == name) return &one;
    }
    return kernel;
  }

  // A function behind those that it calls.
  std::string Function(Id id, std::set<Id>* globals) {
    if (!written_.insert(id).second) return "";
    const frontend::Function& function = *module_.FindFunction(id);
    CReduction own = reduction_;
    own.drops_unused = false;
    CFunction writer(&types_, function, probe_, own, &made_);
    std::vector<Id> called;
    const std::string body = writer.Body(false, &called);
    globals->insert(writer.globals().begin(), writer.globals().end());
    std::string before;
    for (const Id next : called) before += Function(next, globals);
    std::vector<std::string> parameters;
    for (const auto& one : function.parameters.Of(module_.parameters)) {
      parameters.push_back(writer.ParameterText(one));
    }
    if (probe_.kind == CProbe::Kind::kWriter) {
      parameters.emplace_back("global ulong* probe_who, ulong probe_at");
    }
    if (probe_.kind == CProbe::Kind::kLog) parameters.emplace_back("private Log* log");
    if (probe_.kind == CProbe::Kind::kCut) {
      parameters.push_back(fmt::format("global {}* cut", CutType()));
      if (probe_.occurrence) parameters.emplace_back("private uint* cut_n");
    }
    return before + fmt::format("{} f{}({}) {{\n{}}}\n", types_.Name(function.return_type), id,
                                fmt::join(parameters, ", "), body);
  }

  std::string CutType() const {
    const std::string component = ProbedComponent(module_, probe_.value);
    return component == "bool" || component == "char" ? "uchar" : component;
  }

  std::vector<std::string> OwnParameters() const {
    switch (probe_.kind) {
      case CProbe::Kind::kNone:
        return {};
      case CProbe::Kind::kWriter:
        return {"global ulong* probe_who", "global uchar* probe_buffer", "ulong probe_offset"};
      case CProbe::Kind::kCut:
        return {fmt::format("global {}* cut", CutType())};
      case CProbe::Kind::kLog:
        break;
    }
    std::vector<std::string> all = {"global ulong* log_ulong", "global float* log_float"};
    if (made_.has_doubles) all.emplace_back("global double* log_double");
    if (made_.has_halfs) all.emplace_back("global half* log_half");
    for (const char* one :
         {"global uint* log_where", "ulong log_item", "uint log_from", "uint log_to"}) {
      all.emplace_back(one);
    }
    return all;
  }

  // What the probe does before all else.
  std::string Start() const {
    switch (probe_.kind) {
      case CProbe::Kind::kWriter:
        return "  ulong probe_at = (ulong)probe_buffer + probe_offset;\n";
      case CProbe::Kind::kCut:
        return probe_.occurrence ? "  uint cut_count = 0; private uint* cut_n = &cut_count;\n" : "";
      case CProbe::Kind::kLog:
        return fmt::format(
            "  Log log_state;\n  private Log* log = &log_state;\n"
            "  log->to_ulong = log_ulong; log->to_float = log_float;{}{} log->where = log_where;\n"
            "  log->n = 0; log->from = log_from; log->to = log_to; log->on = ({}) == log_item;\n",
            made_.has_doubles ? " log->to_double = log_double;" : "",
            made_.has_halfs ? " log->to_half = log_half;" : "", probe_.item);
      case CProbe::Kind::kNone:
        break;
    }
    return "";
  }

  std::string Macros() const {
    if (probe_.kind == CProbe::Kind::kWriter) {
      return fmt::format(fmt::runtime(kWriterMacro), probe_.item);
    }
    if (probe_.kind != CProbe::Kind::kLog) return "";
    std::string pragmas;
    if (made_.has_doubles) pragmas += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    if (made_.has_halfs) pragmas += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    return pragmas + fmt::format(fmt::runtime(kLogMacro),
                                 made_.has_doubles ? "global double* to_double; " : "",
                                 made_.has_halfs ? "global half* to_half; " : "");
  }

  std::string Globals(const std::set<Id>& ids) {
    std::string text;
    for (const Id id : ids) {
      const frontend::GlobalVariable& one = *module_.FindGlobal(id);
      if (one.built_in || one.storage_class == StorageClass::kWorkgroup) continue;
      if (one.storage_class == StorageClass::kUniformConstant && one.initializer == 0) {
        types_.Fail("a constant without a value: " + module_.Describe(id));
      }
      const bool is_constant = one.storage_class == StorageClass::kUniformConstant;
      text += fmt::format("{} {} g{}", is_constant ? "constant" : "global",
                          types_.Name(one.pointee), id);
      if (one.initializer != 0) text += " = " + types_.Constant(one.initializer);
      text += ";\n";
    }
    return text;
  }

  const frontend::Module& module_;
  CTypes types_;
  const CProbe& probe_;
  const CReduction& reduction_;
  CKernel made_;
  std::set<Id> written_;
};

}  // namespace

std::string ProbedComponent(const frontend::Module& module, Id value) {
  const CTypes types(module);
  return types.Component(module.TypeOf(value));
}

Expected<CKernel> WriteKernel(const frontend::Module& module, const std::string& kernel,
                              const CProbe& probe, const CReduction& reduction) {
  return Writer(module, probe, reduction).Write(kernel);
}

}  // namespace assay::tools
