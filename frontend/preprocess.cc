#include "frontend/preprocess.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;

// Runs only the preprocessor, for the preprocessed source and the list of files that it read.  -P:
// without the name of the temporary folder.
std::vector<std::string> PreprocessLine(const CompileJob& job,
                                        const base::TemporaryFolder& temporary) {
  std::vector<std::string> line = {job.clang, "-E", "-P", "-x", "cl"};
  const std::vector<std::string> language = LanguageOptions(job);
  line.insert(line.end(), language.begin(), language.end());
  line.insert(line.end(), {"-fno-crash-diagnostics", "-fno-color-diagnostics", "-MD", "-MF",
                           temporary.File("read"), "-o", temporary.File("preprocessed.cl"),
                           "-Wno-unused-command-line-argument"});
  AddHeaders(job, temporary, &line);
  line.insert(line.end(), job.user_options.begin(), job.user_options.end());
  AddSource(job, temporary, &line);
  return line;
}

// The prerequisites of a make rule, as -MD writes it: "module.bc: a.cl \<newline> b.h", spaces in
// names behind backslashes and dollars doubled.
std::vector<std::string> Prerequisites(const std::string& rule) {
  std::vector<std::string> files;
  std::string name;
  const auto flush = [&] {
    if (!name.empty()) files.push_back(name);
    name.clear();
  };
  const std::size_t colon = rule.find(": ");
  for (std::size_t i = colon == rule.npos ? rule.size() : colon + 2; i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (rule[i] == '\\' && (next == ' ' || next == '#')) {
      name += next;
      ++i;
    } else if (rule[i] == '$' && next == '$') {
      name += '$';
      ++i;
    } else if (rule[i] == '\\' && next == '\n') {
      flush();
      ++i;
    } else if (rule[i] == ' ' || rule[i] == '\n') {
      flush();
    } else {
      name += rule[i];
    }
  }
  flush();
  return files;
}

// Whether the text may read files, or depend on the time.  Lines may be broken anywhere.
bool MayRead(const std::string& text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool trigraph = text.compare(i, 3, "\?\?/") == 0;
    if (text[i] == '\\' || trigraph) {
      const std::size_t end = text.find_first_not_of(" \t\f\v\r", i + (trigraph ? 3 : 1));
      if (end != text.npos && text[end] == '\n') {
        i = end;
        continue;
      }
    }
    joined += text[i];
  }
  for (const char* word : {"include", "embed", "import", "dependency", "module", "__DATE__",
                           "__TIME__", "__TIMESTAMP__", "##"}) {
    if (joined.find(word) != joined.npos) return true;
  }
  return false;
}

}  // namespace

Expected<std::vector<FileDigest>> DigestsOf(const std::vector<std::string>& paths) {
  std::vector<FileDigest> digests;
  for (const std::string& path : paths) {
    const auto bytes = base::ReadWholeFile(path);
    if (!bytes) return tl::unexpected(bytes.error());
    digests.push_back({path, base::Sha256(*bytes)});
  }
  return digests;
}

std::string ResourceFolder(const std::string& clang) {
  std::error_code failure;
  const fs::path real = fs::canonical(clang, failure);
  return failure ? "" : (real.parent_path().parent_path() / "lib" / "clang").string();
}

Expected<Preprocessed> Preprocess(const CompileJob& job, const base::TemporaryFolder& temporary) {
  auto messages = RunCompiler(PreprocessLine(job, temporary), job, temporary);
  if (!messages) return tl::unexpected(messages.error());
  auto text = base::ReadWholeFile(temporary.File("preprocessed.cl"));
  if (!text) return tl::unexpected(text.error());
  const auto rule = base::ReadWholeFile(temporary.File("read"));
  if (!rule) {
    // If #embed finds no file, clang-22 writes no list, and reports no error either.
    return Fail(ErrorKind::kUsage,
                job.name +
                    ": the preprocessor did not say which files it read: #embed names one "
                    "that is not there, or that it may not read (--allow-read DIR)");
  }
  base::ReadScope own;
  own.Add(ResourceFolder(job.clang));
  std::vector<std::string> paths;
  for (const std::string& file : Prerequisites(*rule)) {
    if (file.starts_with(temporary.path() + "/") || own.Allows(file)) continue;
    if (auto good = job.reads.Check(file, job.name); !good) return tl::unexpected(good.error());
    paths.push_back(file);
  }
  auto included = DigestsOf(paths);
  if (!included) return tl::unexpected(included.error());
  return Preprocessed{std::move(*text), std::move(*included)};
}

bool NeedsPreprocessing(const CompileJob& job) {
  return MayRead(job.source) ||
         std::any_of(job.user_options.begin(), job.user_options.end(), [](const auto& word) {
           return word.starts_with("-i") || word.starts_with("-X") || word.starts_with("-f") ||
                  MayRead(word);
         });
}

}  // namespace assay::frontend
