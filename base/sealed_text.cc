#include "base/sealed_text.h"

#include <fmt/format.h>

#include "base/digest.h"

namespace assay::base {
namespace {

constexpr std::string_view kEnd = "end";
constexpr std::size_t kDigits = 64;

std::string Next(const std::string& chain, std::string_view kind, std::string_view text) {
  return Digest().AddField(chain).AddField(kind).AddField(text).Finish();
}

// Appends the line of a record and moves the chain on.
void Append(std::string_view kind, std::string_view text, std::string* chain, std::string* lines) {
  *chain = Next(*chain, kind, text);
  fmt::format_to(std::back_inserter(*lines), "{} {} {}\n", kind, *chain, text);
}

}  // namespace

SealedText::SealedText(std::string_view schema)
    : text_(std::string(schema) + "\n"), chain_(Sha256(schema)) {}

void SealedText::Add(std::string_view kind, std::string_view text) {
  Append(kind, text, &chain_, &text_);
  ++count_;
}

std::string SealedText::Whole(const std::vector<SealedRecord>& last) const {
  std::string whole = text_, chain = chain_;
  for (const SealedRecord& record : last) Append(record.kind, record.text, &chain, &whole);
  Append(kEnd, std::to_string(count_ + last.size()), &chain, &whole);
  return whole;
}

Expected<std::vector<SealedRecord>> ReadSealedText(std::string_view text, std::string_view schema) {
  std::size_t number = 1;
  const auto bad = [&](std::string_view what) {
    return Fail(ErrorKind::kUsage, fmt::format("line {}: {}", number, what));
  };
  // A line without its newline; nothing where the text ends before one.
  const auto take = [&](std::string_view* line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    *line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return true;
  };
  std::string_view line;
  if (!take(&line) || line != schema) return bad(fmt::format("expected '{}'", schema));
  std::string chain = Sha256(schema);
  std::vector<SealedRecord> records;
  for (++number; take(&line); ++number) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.size() < blank + kDigits + 2 ||
        line[blank + 1 + kDigits] != ' ') {
      return bad("no record with a digest");
    }
    const std::string_view kind = line.substr(0, blank);
    const std::string_view content = line.substr(blank + kDigits + 2);
    chain = Next(chain, kind, content);
    if (chain != line.substr(blank + 1, kDigits)) {
      return bad(fmt::format("the record '{}' is not what was written (its digest differs)",
                             kind.substr(0, kEnd.size() + 16)));
    }
    if (kind != kEnd) {
      records.push_back({std::string(kind), std::string(content)});
      continue;
    }
    // Its digest is over all records, so that its number is theirs.
    ++number;
    if (!text.empty()) return bad("something follows the end");
    return records;
  }
  return bad("the end is missing: the file is truncated");
}

}  // namespace assay::base
