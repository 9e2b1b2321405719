#include "oracle/golden/job.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/json_text.h"
#include "base/parallel_chunks.h"
#include "base/threads.h"
#include "numerics/literal.h"
#include "oracle/devices/batch.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

using interp::JobBuffer;
using interp::MathRecord;
using numerics::FormatBits;
using numerics::Operation;
using numerics::ScalarType;
using Json = nlohmann::ordered_json;

// A built-in at one place of the module.
struct Site {
  std::uint32_t instruction = 0;
  Operation operation;
  std::uint64_t calls = 0;
};

std::vector<Site> SitesOf(const GoldenJob& job) {
  std::vector<Site> sites;
  for (const GoldenLaunch& launch : job.launches) {
    for (const MathRecord& record : launch.math) {
      const auto known = std::ranges::find_if(sites, [&](const Site& site) {
        return site.instruction == record.instruction && site.operation == record.operation;
      });
      Site& site = known == sites.end()
                       ? sites.emplace_back(Site{record.instruction, record.operation, 0})
                       : *known;
      ++site.calls;
    }
  }
  std::ranges::stable_sort(sites, {}, &Site::instruction);
  return sites;
}

std::size_t SiteOf(const std::vector<Site>& sites, const MathRecord& record) {
  const auto site = std::ranges::find_if(sites, [&](const Site& candidate) {
    return candidate.instruction == record.instruction && candidate.operation == record.operation;
  });
  return static_cast<std::size_t>(site - sites.begin());
}

Json SiteToJson(const GoldenJob& job, const Site& site) {
  // Without the folder: the file is the same wherever it is made.
  std::string place;
  const frontend::DebugInfo& debug = job.module->debug_info;
  if (site.instruction < debug.locations.size()) {
    const std::string whole = DescribeLocation(debug, debug.locations[site.instruction]);
    place = std::filesystem::path(whole).filename().string();
  }
  return {{"function", site.operation.Name()},
          {"format", site.operation.FormatName()},
          {"place", place},
          {"instruction", site.instruction},
          {"calls", site.calls},
          {"limits", LimitsToJson(site.operation, numerics::Rounding::kRte)}};
}

std::string_view View(const interp::HostBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void AppendContent(const JobBuffer& buffer, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  const ScalarType type = ScalarOf(buffer.type);
  fmt::format_to(to, R"({{"sha256":"{}","data":[)", base::Sha256(View(buffer.bytes)));
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    bool first = i == 0;
    for (const numerics::Bits bits : ComponentsOf(buffer.type, buffer.bytes, i)) {
      fmt::format_to(to, R"({}"{}")", first ? "" : ",", FormatBits(type, bits));
      first = false;
    }
  }
  fmt::format_to(to, "]}}");
}

void AppendBuffers(const GoldenJob& job, fmt::memory_buffer& out) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, " \"buffers\": [");
  for (std::size_t i = 0; i < job.before.size(); ++i) {
    const JobBuffer& buffer = job.before[i];
    fmt::format_to(to, R"({}{{"name":{},"type":"{}","count":{},)", i == 0 ? "\n" : ",\n",
                   base::JsonText(buffer.name), buffer.type.name, buffer.count);
    if (buffer.image) {
      fmt::format_to(to, R"("image":{},)", base::JsonText(interp::DescribeImage(*buffer.image)));
    }
    fmt::format_to(to, "\n  \"before\":");
    if (buffer.uninitialized) {
      fmt::format_to(to, "null");
    } else {
      AppendContent(buffer, out);
    }
    fmt::format_to(to, ",\n  \"after\":");
    AppendContent(job.after[i], out);
    fmt::format_to(to, "}}");
  }
  fmt::format_to(to, "\n],\n");
}

// One line a call; derived on all threads, line after line.
std::vector<std::string> CallLines(const GoldenJob& job, const std::vector<Site>& sites,
                                   int threads) {
  struct Call {
    std::size_t launch = 0;
    const MathRecord* record = nullptr;
  };
  std::vector<Call> calls;
  for (std::size_t i = 0; i < job.launches.size(); ++i) {
    for (const MathRecord& record : job.launches[i].math) calls.push_back({i, &record});
  }
  std::vector<GoldenDeriver> derivers;
  for (const Site& site : sites) {
    derivers.emplace_back(site.operation, numerics::Rounding::kRte, 40);
  }
  std::vector<std::string> lines(calls.size());
  const auto line = [&](const Call& call) {
    const MathRecord& record = *call.record;
    const std::size_t site = SiteOf(sites, record);
    const std::vector<ScalarType> arguments = record.operation.ArgumentTypes();
    const std::vector<ScalarType> types = record.operation.ResultTypes();
    fmt::memory_buffer out;
    const auto to = std::back_inserter(out);
    fmt::format_to(to, R"({{"launch":{},"work_group":{},"work_item":{},"builtin":{},"args":[)",
                   call.launch, record.group, record.item, site);
    for (std::size_t i = 0; i < record.args.size(); ++i) {
      fmt::format_to(to, R"({}"{}")", i == 0 ? "" : ",", FormatBits(arguments[i], record.args[i]));
    }
    fmt::format_to(to, R"(],"results":[)");
    const std::vector<GoldenResult> results = derivers[site].Derive(record.args);
    for (std::size_t r = 0; r < record.results.size() && r < results.size(); ++r) {
      if (r > 0) out.push_back(',');
      AppendResult(results[r], types[r], out);
    }
    fmt::format_to(to, "]}}");
    return fmt::to_string(out);
  };
  threads = base::ThreadCount(threads);
  base::ParallelChunks(threads, calls.size(), 64, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) lines[i] = line(calls[i]);
  });
  return lines;
}

Json HeadOf(const GoldenJob& job, const std::vector<Site>& sites) {
  Json head{{"schema", kGoldenJobSchema},
            {"tool", job.tool},
            {"truth", job.truth},
            {"command", job.command},
            {"job", job.job},
            {"sources", Json::array()},
            {"launches", Json::array()},
            {"builtins", Json::array()},
            {"output", job.output}};
  for (const GoldenSource& source : job.sources) {
    head["sources"].push_back({{"path", source.path}, {"sha256", source.sha256}});
  }
  for (const GoldenLaunch& launch : job.launches) {
    head["launches"].push_back({{"kernel", launch.kernel},
                                {"global", launch.range.global},
                                {"local", launch.local_size},
                                {"offset", launch.range.offset},
                                {"calls", launch.math.size()}});
  }
  for (const Site& site : sites) head["builtins"].push_back(SiteToJson(job, site));
  return head;
}

}  // namespace

std::string EncodeGoldenJob(const GoldenJob& job, int threads) {
  const std::vector<Site> sites = SitesOf(job);
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  // printf's text need not be UTF-8.
  const std::string head = base::JsonText(HeadOf(job, sites), 1);
  out.append(std::string_view(head).substr(0, head.size() - 2));  // without "\n}"
  fmt::format_to(to, ",\n");
  AppendBuffers(job, out);
  fmt::format_to(to, " \"calls\": [");
  bool first = true;
  for (const std::string& line : CallLines(job, sites, threads)) {
    fmt::format_to(to, "{}\n{}", first ? "" : ",", line);
    first = false;
  }
  fmt::format_to(to, "\n],\n");
  return Sealed(fmt::to_string(out), GoldenEncoding::kJson);
}

std::optional<std::string> JobOfGolden(std::string_view content) {
  if (!content.starts_with("{")) return std::nullopt;
  const Json json = base::ParseJson(content);
  if (!json.is_object() || json.value("schema", "") != kGoldenJobSchema) return std::nullopt;
  const auto job = json.find("job");
  return job != json.end() && job->is_string() ? job->get<std::string>() : "";
}

}  // namespace assay::oracle
