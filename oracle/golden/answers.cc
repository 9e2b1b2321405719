#include "oracle/golden/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "frontend/loader.h"
#include "numerics/literal.h"
#include "oracle/devices/batch.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::ScalarType;

class Answers : public Device {
 public:
  Answers(const std::string& path, const GoldenFile& file, bool flushes,
          std::vector<std::vector<Bits>> results)
      : file_(file), results_(std::move(results)) {
    description_.kind = "answers";
    description_.name = path;
    description_.widths = {1};
    for (int i = 0; i < 4; ++i) {
      description_.supports[i] = true;
      description_.denormals[i] = !flushes;
      description_.rounding[i] = file.head.rounding;
    }
  }

  const DeviceDescription& Description() const override { return description_; }

  Expected<void> Prepare(const TaskSpec& task) override {
    if (task.operation == file_.head.operation) return {};
    return Fail(ErrorKind::kUnsupported, "the answers are of another operation");
  }

  Expected<void> Run(int, std::span<const numerics::ConstColumn>, std::span<const Column> outputs,
                     std::size_t count) override {
    for (std::size_t i = 0; i < std::min(count, results_.size()); ++i) {
      Scatter(outputs, i, results_[i]);
    }
    return {};
  }

  std::optional<std::size_t> RecordedCount() const override { return results_.size(); }
  Expected<void> RecordedInputs(std::span<const Column> columns) const override {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      Scatter(columns, i, file_.vectors[i].args);
    }
    return {};
  }

 private:
  GoldenFile file_;
  std::vector<std::vector<Bits>> results_;
  DeviceDescription description_;
};

std::vector<std::string> FieldsOf(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r,";
  line = line.substr(0, line.find('#'));
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return fields;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    fields.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// One line of text against the vector that it answers.
Expected<std::vector<Bits>> ParseAnswer(const GoldenFile& file, const GoldenVector& vector,
                                        std::vector<std::string> fields) {
  const std::vector<ScalarType> arguments = file.head.operation.ArgumentTypes();
  const std::vector<ScalarType> types = file.head.operation.ResultTypes();
  const std::size_t operands = arguments.size(), results = types.size();
  const bool has_flags = fields.size() == operands + results + 1;
  const bool has_operands = has_flags || fields.size() == operands + results;
  if (!has_operands && fields.size() != results) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} fields; there have to be {} (results), {} (operands and results) "
                            "or {} (flags as well)",
                            fields.size(), results, operands + results, operands + results + 1));
  }
  if (has_flags) {
    fields.pop_back();
    for (std::string& field : fields) {
      if (!field.starts_with("0x")) field.insert(0, "0x");
    }
  }
  std::vector<Bits> answer;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool is_operand = has_operands && i < operands;
    const std::size_t r = has_operands ? i - operands : i;
    Expected<Bits> bits = numerics::ParseLiteral(is_operand ? arguments[i] : types[r], fields[i]);
    if (!bits) return tl::unexpected<Error>(bits.error());
    if (!is_operand) {
      answer.push_back(*bits);
    } else if (*bits != vector.args[i]) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("operand {} is {}, but this vector's is {}", i + 1,
                              numerics::FormatBits(arguments[i], *bits),
                              numerics::FormatBits(arguments[i], vector.args[i])));
    }
  }
  return answer;
}

Expected<std::vector<std::vector<Bits>>> ParseText(const GoldenFile& file,
                                                   std::string_view content) {
  std::vector<std::vector<Bits>> answers;
  Lines lines(content);
  std::string_view line;
  while (lines.Next(&line)) {
    std::vector<std::string> fields = FieldsOf(line);
    if (fields.empty()) continue;
    if (answers.size() == file.vectors.size()) {
      return Fail(ErrorKind::kUsage, fmt::format("line {}: there are only {} vectors",
                                                 lines.number(), file.vectors.size()));
    }
    auto answer = ParseAnswer(file, file.vectors[answers.size()], std::move(fields));
    if (!answer) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("line {}: {}", lines.number(), answer.error().message));
    }
    answers.push_back(std::move(*answer));
  }
  if (answers.size() < file.vectors.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} answers to {} vectors", answers.size(), file.vectors.size()));
  }
  return answers;
}

Expected<std::vector<std::vector<Bits>>> ParseRaw(const GoldenFile& file,
                                                  std::string_view content) {
  const std::vector<ScalarType> types = file.head.operation.ResultTypes();
  std::size_t bytes = 0;
  for (ScalarType type : types) bytes += numerics::SizeOf(type);
  if (content.size() != bytes * file.vectors.size()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{} bytes; {} vectors have {} bytes of results each, {} in all", content.size(),
                    file.vectors.size(), bytes, bytes * file.vectors.size()));
  }
  std::vector<std::vector<Bits>> answers(file.vectors.size());
  for (std::vector<Bits>& answer : answers) {
    for (ScalarType type : types) {
      answer.push_back(numerics::LoadElement(type, content.data(), 0));
      content.remove_prefix(numerics::SizeOf(type));
    }
  }
  return answers;
}

}  // namespace

Expected<std::unique_ptr<Device>> OpenAnswers(const std::string& path, const GoldenFile& file,
                                              bool flushes) {
  const Expected<std::string> content = base::ReadWholeFile(path);
  if (!content) return tl::unexpected<Error>(content.error());
  auto answers = path.ends_with(".raw") ? ParseRaw(file, *content) : ParseText(file, *content);
  if (!answers) {
    return Fail(answers.error().kind,
                fmt::format("the answers '{}': {}", path, answers.error().message));
  }
  return std::make_unique<Answers>(path, file, flushes, std::move(*answers));
}

}  // namespace assay::oracle
