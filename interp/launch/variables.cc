#include <cstddef>
#include <span>

#include "interp/launch/session_state.h"

namespace assay::interp {

std::span<std::byte> Session::VariableBytes(frontend::Id variable) {
  const auto found = state_->addresses.find(variable);
  if (found == state_->addresses.end()) return {};
  return state_->memory->Bytes(found->second);
}

}  // namespace assay::interp
