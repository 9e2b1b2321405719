// A matrix device on a pipe: the client of docs/pipe-protocol.md, "Matrix devices".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/process.h"
#include "numerics/small_float/named_conversion.h"

namespace assay::tools {

// As the device declares it.
struct MatrixInstruction {
  std::string name, input, accumulator;
  int m = 0, n = 0, k = 0;
  std::size_t results() const { return static_cast<std::size_t>(m) * static_cast<std::size_t>(n); }
};

// A conversion between small formats, as the device declares it.
struct DeclaredConversion {
  std::string name;  // convert_e4m3_sat_rte
  std::string via;   // the function or extension that converts
  numerics::small_float::NamedConversion conversion;
};

class MatrixDevice {
 public:
  // Starts the command by /bin/sh -c and reads its greeting.  `seconds`: how long it may be silent.
  static Expected<std::unique_ptr<MatrixDevice>> Open(const std::string& command, double seconds);

  const std::string& name() const { return name_; }
  const std::string& driver() const { return driver_; }
  const std::string& compiler() const { return compiler_; }  // empty if it states none
  const std::vector<MatrixInstruction>& instructions() const { return instructions_; }
  const std::vector<DeclaredConversion>& conversions() const { return conversions_; }
  // What it has but the protocol has no format for.
  const std::vector<std::string>& left_out() const { return left_out_; }

  // The results of `count` tiles with these operands, one tile behind another, row by row.
  Expected<std::vector<std::uint32_t>> Run(const MatrixInstruction& instruction, std::size_t count,
                                           std::span<const std::uint32_t> a,
                                           std::span<const std::uint32_t> b,
                                           std::span<const std::uint32_t> c);
  // The numbers in the other format.
  Expected<std::vector<std::uint64_t>> Convert(const DeclaredConversion& conversion,
                                               std::span<const std::uint64_t> numbers);
  // The results of random tiles, row by row.
  Expected<std::vector<std::uint32_t>> Tiles(const MatrixInstruction& instruction,
                                             std::uint64_t seed, std::uint64_t first,
                                             std::size_t count);
  // A digest (numerics/matrix/random_tiles.h) of every `block` tiles.
  Expected<std::vector<std::uint64_t>> Digests(const MatrixInstruction& instruction,
                                               std::uint64_t seed, std::uint64_t first,
                                               std::size_t count, std::size_t block);

 private:
  MatrixDevice(std::unique_ptr<base::Process> process, double seconds)
      : process_(std::move(process)), seconds_(seconds) {}
  Expected<void> Greet();
  Expected<void> Declare(const std::string& line);
  Expected<void> DeclareConversion(const std::string& line);
  // `operands` follow the line of the request.
  Expected<std::string> Ask(const std::string& request, std::size_t bytes,
                            std::string_view operands = {});

  std::unique_ptr<base::Process> process_;
  double seconds_;
  std::uint64_t number_ = 0;
  std::string name_, driver_, compiler_;
  std::vector<MatrixInstruction> instructions_;
  std::vector<DeclaredConversion> conversions_;
  std::vector<std::string> left_out_;
};

}  // namespace assay::tools
