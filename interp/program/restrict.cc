#include "interp/program/restrict.h"

namespace assay::interp {

using frontend::Decoration;
using frontend::FunctionParameterAttribute;

bool IsRestrict(const frontend::Module& module, frontend::Id parameter) {
  bool is_restrict = false;
  for (const frontend::DecorationUse& use : module.DecorationsOf(parameter)) {
    if (use.member != frontend::kNone) continue;
    is_restrict = is_restrict || use.decoration == Decoration::kRestrict;
    const auto words = module.Slice(use.operands);
    if (use.decoration != Decoration::kFuncParamAttr || words.empty()) continue;
    const auto attribute = static_cast<FunctionParameterAttribute>(words[0]);
    if (attribute == FunctionParameterAttribute::kSret) return false;
    is_restrict = is_restrict || attribute == FunctionParameterAttribute::kNoAlias;
  }
  return is_restrict;
}

}  // namespace assay::interp
