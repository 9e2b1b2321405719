#include "oracle/hard_cases/table.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "numerics/literal.h"

namespace assay::oracle {
namespace {

using numerics::HardCase;
using numerics::Operation;

constexpr std::string_view kCommandPrefix = "# command: ";
constexpr std::string_view kOperandNames[] = {"x", "y", "z"};

std::vector<std::string> Fields(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  for (char c : line) {
    if (c == separator) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

std::string HardTableName(const Operation& operation) {
  return fmt::format("{}.{}.tsv", operation.Name(), operation.FormatName());
}

std::string FormatHardTable(const Operation& operation, const HardSearchResult& result,
                            const std::string& command, const std::string& versions) {
  std::string text = fmt::format(
      "# Hard-to-round operands of {} for {}; README.md says what the columns are.\n"
      "# method: {}\n# covered: {}\n{}{}\n# made by: {}\n",
      operation.Name(), operation.FormatName(), result.method, result.covered, kCommandPrefix,
      command, versions);
  const std::vector<numerics::ScalarType> types = operation.ArgumentTypes();
  for (std::size_t i = 0; i < types.size(); ++i) text += fmt::format("{}\t", kOperandNames[i]);
  text += "log2_distance\tkind\tsource\trun\n";
  for (const HardCase& hard : result.cases) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      text += fmt::format("{}\t", numerics::FormatBits(types[i], hard.args[i]));
    }
    text += fmt::format("{:.3f}\t{}\t{}\t{}\n", hard.log2_distance, NameOf(hard.kind),
                        NameOf(hard.source), hard.is_flat ? "flat" : "-");
  }
  return text;
}

bool IsTableOf(const std::string& path, const std::string& command) {
  const auto file = base::LineReader::Open(path);
  if (!file) return false;
  for (std::string line; (*file)->Next(&line).value_or(false) && line.starts_with('#');) {
    if (line.starts_with(kCommandPrefix)) return line.substr(kCommandPrefix.size()) == command;
  }
  return false;
}

nlohmann::ordered_json HardTableToJson(const Operation& operation, const HardSearchResult& result) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  const std::vector<numerics::ScalarType> types = operation.ArgumentTypes();
  for (const HardCase& hard : result.cases) {
    nlohmann::ordered_json args = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < types.size(); ++i) {
      args.push_back(numerics::FormatBits(types[i], hard.args[i]));
    }
    cases.push_back({{"args", args},
                     {"log2_distance", hard.log2_distance},
                     {"kind", NameOf(hard.kind)},
                     {"source", NameOf(hard.source)},
                     {"flat", hard.is_flat}});
  }
  return {{"function", operation.Name()},
          {"format", operation.FormatName()},
          {"method", result.method},
          {"covered", result.covered},
          {"cases", cases}};
}

Expected<std::vector<numerics::Bits>> ReadPublished(const std::string& path,
                                                    const Operation& operation) {
  const auto file = base::LineReader::Open(path);
  if (!file) {
    return Fail(ErrorKind::kUsage, fmt::format("--published: {}", file.error().message));
  }
  std::vector<numerics::Bits> operands;
  int number = 0, cases = 0;
  for (std::string line;;) {
    const Expected<bool> taken = (*file)->Next(&line);
    if (!taken) return tl::unexpected<Error>(taken.error());
    if (!*taken) break;
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> fields = Fields(line, '\t');
    if (fields.size() < 4) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}:{}: {} fields; a line has function, format, operands (separated "
                              "by commas) and source, separated by tabs",
                              path, number, fields.size()));
    }
    ++cases;
    if (fields[0] != operation.Name() || fields[1] != operation.FormatName()) continue;
    const auto parsed = numerics::ParseOperands(operation, numerics::SplitAtCommas(fields[2]));
    if (!parsed) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}:{}: {}", path, number, parsed.error().message));
    }
    operands.insert(operands.end(), parsed->begin(), parsed->end());
  }
  if (cases == 0) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--published {}: there is no case in it; write lines of function, "
                            "format, operands (separated by commas) and source, separated by tabs",
                            path));
  }
  return operands;
}

}  // namespace assay::oracle
