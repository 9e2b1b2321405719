// Helpers of the device tests: columns with known bits, and small libraries compiled on the spot.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "numerics/evaluate.h"
#include "oracle/devices/device.h"

namespace assay::oracle {

// The columns of one operation for `count` items.
class TestColumns {
 public:
  TestColumns(const numerics::Operation& operation, std::size_t count) : count_(count) {
    for (const numerics::Slot& slot : operation.Inputs()) inputs_.push_back({slot, Allocate(slot)});
    for (const numerics::Slot& slot : operation.Outputs()) {
      outputs_.push_back({slot, Allocate(slot)});
    }
  }

  void Set(std::size_t operand, std::size_t item, numerics::Bits bits, int component = 0) {
    const Column& column = inputs_.at(operand);
    numerics::StoreElement(column.slot.type, column.data, Index(column.slot, item, component),
                           bits);
  }
  numerics::Bits Operand(std::size_t operand, std::size_t item, int component = 0) const {
    const Column& column = inputs_.at(operand);
    return numerics::LoadElement(column.slot.type, column.data,
                                 Index(column.slot, item, component));
  }
  numerics::Bits Result(std::size_t result, std::size_t item, int component = 0) const {
    const Column& column = outputs_.at(result);
    return numerics::LoadElement(column.slot.type, column.data,
                                 Index(column.slot, item, component));
  }
  // Every operand gets bits of its own from a linear congruential sequence.
  void Randomize(std::uint64_t seed) {
    for (const Column& column : inputs_) {
      for (std::size_t i = 0; i < count_ * static_cast<std::size_t>(column.slot.components); ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        numerics::StoreElement(column.slot.type, column.data, i,
                               seed >> (64 - WidthOf(column.slot.type)));
      }
    }
  }
  std::vector<numerics::ConstColumn> Inputs() const {
    std::vector<numerics::ConstColumn> columns;
    for (const Column& column : inputs_) columns.push_back({column.slot, column.data});
    return columns;
  }
  const std::vector<Column>& Outputs() const { return outputs_; }
  const std::vector<Column>& WritableInputs() const { return inputs_; }
  std::size_t count() const { return count_; }

 private:
  static std::size_t Index(const numerics::Slot& slot, std::size_t item, int component) {
    return item * static_cast<std::size_t>(slot.components) + static_cast<std::size_t>(component);
  }
  void* Allocate(const numerics::Slot& slot) {
    memory_.emplace_back(count_ * SizeOf(slot.type) * static_cast<std::size_t>(slot.components));
    return memory_.back().data();
  }
  std::size_t count_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<Column> inputs_, outputs_;
};

inline TaskSpec TaskOf(const numerics::Operation& operation, std::vector<int> widths = {1}) {
  TaskSpec task;
  task.operation = operation;
  task.widths = std::move(widths);
  return task;
}

// Prepares and runs; a failed expectation carries the device's message.
inline testing::AssertionResult RunTask(Device& device, const TaskSpec& task, int width,
                                        TestColumns* columns) {
  if (auto prepared = device.Prepare(task); !prepared) {
    return testing::AssertionFailure() << prepared.error().message;
  }
  auto run = device.Run(width, columns->Inputs(), columns->Outputs(), columns->count());
  if (!run) return testing::AssertionFailure() << run.error().message;
  return testing::AssertionSuccess();
}

inline std::string TestPath(const std::string& name) {
  return testing::TempDir() + "assay-" + std::to_string(getpid()) + "-" + name;
}

// Compiles C into a shared library; an empty path where there is no compiler.
inline std::string CompileLibrary(const std::string& name, const std::string& source) {
  const std::string path = TestPath(name);
  std::ofstream(path + ".c") << source;
  const std::string command =
      "cc -shared -fPIC -fno-builtin -o " + path + ".so " + path + ".c 2>/dev/null";
  return std::system(command.c_str()) == 0 ? path + ".so" : "";
}

}  // namespace assay::oracle
