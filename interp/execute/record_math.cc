// Built-ins whose results other devices may differ in, with what they were given and gave.

#include <bit>
#include <cstring>
#include <utility>

#include "interp/execute/batch.h"
#include "interp/execute/execute.h"
#include "interp/program/handlers.h"

namespace assay::interp {

void RecordMath(Batch& batch, const FlatInstruction& instruction) {
  const MathCall& call = batch.program->math_calls[instruction.immediate];
  const std::uint32_t* arguments = &batch.program->extra[instruction.extra];
  const std::uint32_t* results = arguments + 1 + arguments[0];
  const auto element = [&](std::uint32_t offset, std::uint32_t bytes, int lane) {
    numerics::Bits bits = 0;
    std::memcpy(&bits, batch.registers + offset + static_cast<std::size_t>(lane) * bytes, bytes);
    return bits;
  };
  // A result may take the register of an operand.
  std::vector<MathRecord> records;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    MathRecord record{.operation = call.operation, .item = std::uint64_t(std::countr_zero(rest))};
    for (std::uint32_t i = 0; i < arguments[0]; ++i) {
      record.args.push_back(
          element(arguments[1 + i], call.argument_bytes[i], static_cast<int>(record.item)));
    }
    records.push_back(std::move(record));
  }
  EvaluateMath(batch, instruction);
  for (MathRecord& record : records) {
    for (std::uint32_t i = 0; i < results[0]; ++i) {
      record.results.push_back(
          element(results[1 + i], call.result_bytes[i], static_cast<int>(record.item)));
    }
    record.item += batch.first_item;
    record.group = batch.worker->group();
    record.instruction = batch.program->places[instruction.place].origin;
    batch.worker->Record(std::move(record));
  }
}

void Worker::Record(MathRecord record) {
  // One more than the limit is enough to know that there are too many.
  if (math_records_.size() <= launch_.options.max_math_records) {
    math_records_.push_back(std::move(record));
  }
}

}  // namespace assay::interp
