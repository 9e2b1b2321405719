#include "tools/matrix/device.h"

#include <fmt/format.h>

#include <cstring>
#include <sstream>

#include "base/text.h"
#include "numerics/matrix/model.h"

namespace assay::tools {
namespace {

constexpr std::size_t kMostLines = 4000;  // of a greeting

template <typename T>
std::vector<T> Numbers(const std::string& data, std::size_t bytes) {
  std::vector<T> numbers(data.size() / bytes, 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::memcpy(&numbers[i], data.data() + i * bytes, bytes);
  }
  return numbers;
}

// Little-endian, each in so many bytes.
template <typename T>
std::string Packed(std::span<const T> numbers, std::size_t bytes) {
  std::string data(numbers.size() * bytes, '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::memcpy(&data[i * bytes], &numbers[i], bytes);
  }
  return data;
}

}  // namespace

Expected<std::unique_ptr<MatrixDevice>> MatrixDevice::Open(const std::string& command,
                                                           double seconds) {
  auto process = base::Process::Start({"/bin/sh", "-c", command}, command);
  if (!process) return tl::unexpected<Error>(process.error());
  std::unique_ptr<MatrixDevice> device(new MatrixDevice(*std::move(process), seconds));
  if (auto greeted = device->Greet(); !greeted) return tl::unexpected<Error>(greeted.error());
  return device;
}

Expected<void> MatrixDevice::Greet() {
  auto line = process_->ReadLine(seconds_);
  if (!line) return tl::unexpected<Error>(line.error());
  for (const auto& [word, kind] : {std::pair{"unsupported ", ErrorKind::kUnsupported},
                                   std::pair{"failed ", ErrorKind::kDevice}}) {
    if (line->starts_with(word)) return Fail(kind, line->substr(std::string_view(word).size()));
  }
  if (*line != "assay-matrix/1") {
    return process_->Abort(
        fmt::format("its first line is '{}', not 'assay-matrix/1' "
                    "(docs/pipe-protocol.md, \"Matrix devices\")",
                    base::Printable(*line)));
  }
  for (std::size_t lines = 0; lines < kMostLines; ++lines) {
    line = process_->ReadLine(seconds_);
    if (!line) return tl::unexpected<Error>(line.error());
    if (*line == "ready") return {};
    if (auto declared = Declare(*line); !declared) return declared;
  }
  return process_->Abort("its greeting does not end");
}

Expected<void> MatrixDevice::Declare(const std::string& line) {
  const auto rest = [&](std::string_view word) { return line.substr(word.size()); };
  if (line.starts_with("name ")) {
    name_ = rest("name ");
    return {};
  }
  if (line.starts_with("driver-version ")) {
    driver_ = rest("driver-version ");
    return {};
  }
  if (line.starts_with("compiler ")) {
    compiler_ = rest("compiler ");
    return {};
  }
  if (line.starts_with("left-out ")) {
    left_out_.push_back(rest("left-out "));
    return {};
  }
  if (line.starts_with("conversion ")) return DeclareConversion(rest("conversion "));
  std::istringstream words(line);
  std::string verb, more;
  MatrixInstruction x;
  words >> verb >> x.name >> x.m >> x.n >> x.k >> x.input >> x.accumulator;
  const auto is_size = [](int size) { return size >= 1 && size <= 512; };
  if (verb != "instruction" || !words || (words >> more) || !is_size(x.m) || !is_size(x.n) ||
      !is_size(x.k) || !numerics::matrix::IsInput(x.input) ||
      !numerics::matrix::IsAccumulator(x.accumulator)) {
    return process_->Abort(
        fmt::format("it declares '{}', which is not 'instruction NAME M N K "
                    "INPUT ACCUMULATOR' with known formats",
                    base::Printable(line)));
  }
  instructions_.push_back(std::move(x));
  return {};
}

// NAME FROM VIA
Expected<void> MatrixDevice::DeclareConversion(const std::string& line) {
  std::istringstream words(line);
  DeclaredConversion declared;
  std::string from, more;
  words >> declared.name >> from >> declared.via;
  const auto conversion = numerics::small_float::NamedConversionOf(declared.name, from);
  // The protocol has no words.
  const bool is_known = conversion && conversion->from != conversion->to &&
                        conversion->rules.rounding != numerics::small_float::Rounding::kStochastic;
  if (!is_known || !words || (words >> more)) {
    return process_->Abort(fmt::format(
        "it declares 'conversion {}', which is not 'conversion NAME FROM VIA' with a name "
        "of `assay eval`",
        base::Printable(line)));
  }
  declared.conversion = *conversion;
  conversions_.push_back(std::move(declared));
  return {};
}

Expected<std::vector<std::uint64_t>> MatrixDevice::Convert(const DeclaredConversion& declared,
                                                           std::span<const std::uint64_t> numbers) {
  const auto bytes_of = [](const numerics::small_float::Format& format) {
    return (static_cast<std::size_t>(format.width()) + 7) / 8;
  };
  const std::size_t to = bytes_of(*declared.conversion.to);
  const auto data = Ask(fmt::format("convert {} {} {} {}", declared.name,
                                    declared.conversion.from->name, declared.via, numbers.size()),
                        numbers.size() * to, Packed(numbers, bytes_of(*declared.conversion.from)));
  if (!data) return tl::unexpected<Error>(data.error());
  return Numbers<std::uint64_t>(*data, to);
}

Expected<std::string> MatrixDevice::Ask(const std::string& request, std::size_t bytes,
                                        std::string_view operands) {
  const std::string number = std::to_string(++number_);
  const std::size_t verb = request.find(' ');
  const std::string line =
      request.substr(0, verb) + " " + number + request.substr(verb) + "\n" + std::string(operands);
  if (auto written = process_->Write(std::string_view(line), seconds_); !written) {
    return tl::unexpected<Error>(written.error());
  }
  const auto expect = [&](const std::string& wanted) -> Expected<void> {
    const auto got = process_->ReadLine(seconds_);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == wanted) return {};
    if (got->starts_with("failed " + number)) {
      return Fail(ErrorKind::kDevice, fmt::format("the device failed: {}", base::Printable(*got)));
    }
    return process_->Abort(
        fmt::format("it answered '{}', not '{}'", base::Printable(*got), wanted));
  };
  if (auto begun = expect(fmt::format("answer {} {}", number, bytes)); !begun) {
    return tl::unexpected<Error>(begun.error());
  }
  std::string data(bytes, '\0');
  if (auto read = process_->Read(data.data(), bytes, seconds_); !read) {
    return tl::unexpected<Error>(read.error());
  }
  if (auto ended = expect("end " + number); !ended) return tl::unexpected<Error>(ended.error());
  return data;
}

Expected<std::vector<std::uint32_t>> MatrixDevice::Run(const MatrixInstruction& instruction,
                                                       std::size_t count,
                                                       std::span<const std::uint32_t> a,
                                                       std::span<const std::uint32_t> b,
                                                       std::span<const std::uint32_t> c) {
  const auto bytes_of = [](const std::string& format) {
    return static_cast<std::size_t>(numerics::matrix::ElementBytes(format));
  };
  const std::size_t input = bytes_of(instruction.input), sum = bytes_of(instruction.accumulator);
  const auto data =
      Ask(fmt::format("run {} {}", instruction.name, count), count * instruction.results() * sum,
          Packed(a, input) + Packed(b, input) + Packed(c, sum));
  if (!data) return tl::unexpected<Error>(data.error());
  return Numbers<std::uint32_t>(*data, sum);
}

Expected<std::vector<std::uint32_t>> MatrixDevice::Tiles(const MatrixInstruction& instruction,
                                                         std::uint64_t seed, std::uint64_t first,
                                                         std::size_t count) {
  const auto bytes =
      static_cast<std::size_t>(numerics::matrix::ElementBytes(instruction.accumulator));
  const auto data = Ask(fmt::format("tiles {} {} {} {}", instruction.name, seed, first, count),
                        count * instruction.results() * bytes);
  if (!data) return tl::unexpected<Error>(data.error());
  return Numbers<std::uint32_t>(*data, bytes);
}

Expected<std::vector<std::uint64_t>> MatrixDevice::Digests(const MatrixInstruction& instruction,
                                                           std::uint64_t seed, std::uint64_t first,
                                                           std::size_t count, std::size_t block) {
  const auto data =
      Ask(fmt::format("digests {} {} {} {} {}", instruction.name, seed, first, count, block),
          (count + block - 1) / block * sizeof(std::uint64_t));
  if (!data) return tl::unexpected<Error>(data.error());
  return Numbers<std::uint64_t>(*data, sizeof(std::uint64_t));
}

}  // namespace assay::tools
