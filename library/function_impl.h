// What a public Function is made of.  Internal to the library and the Python module.
#pragma once

#include <string>
#include <vector>

#include "assay/numerics.h"
#include "numerics/evaluate.h"
#include "numerics/operation.h"

namespace assay::api {
inline namespace v1 {

struct Function::Impl {
  explicit Impl(const numerics::Operation& of);

  numerics::Operation operation;
  std::string name, format;
  std::vector<Slot> operands, results;
  std::vector<numerics::Slot> input_slots;
  std::vector<numerics::ScalarType> result_types;  // component by component
  numerics::BatchEvaluator fast, exact;
};

}  // namespace v1
}  // namespace assay::api
