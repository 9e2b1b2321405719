#include "oracle/devices/identity.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include "base/build_id.h"
#include "base/digest.h"
#include "base/file.h"
#include "oracle/devices/text.h"
#include "oracle/judge/limits.h"

namespace assay::oracle {
namespace {

constexpr std::size_t kDigestLimit = std::size_t{32} << 20;

// The build-id of an ELF file of this machine's class; "" where it has none or is no ELF file.
std::string BuildIdOf(int file) {
  ElfW(Ehdr) head;
  if (pread(file, &head, sizeof head, 0) != sizeof head) return "";
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return "";
  for (int i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) segment;
    const auto place =
        static_cast<off_t>(head.e_phoff + static_cast<ElfW(Off)>(i) * sizeof segment);
    if (pread(file, &segment, sizeof segment, place) != sizeof segment) return "";
    constexpr std::size_t kMost = 1 << 16;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMost) continue;
    std::vector<unsigned char> notes(segment.p_filesz);
    const ssize_t got =
        pread(file, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset));
    if (got != static_cast<ssize_t>(notes.size())) continue;
    if (std::string id = base::BuildIdIn(notes); !id.empty()) return id;
  }
  return "";
}

std::string DigestOf(int file) {
  base::Digest digest;
  std::string chunk(std::size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t got = read(file, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return "";
    if (got == 0) return digest.Finish();
    digest.Add({chunk.data(), static_cast<std::size_t>(got)});
  }
}

// The program that a shell would start for a word without a slash.
std::string OnThePath(const std::string& word) {
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string file = folders.substr(begin, end - begin) + "/" + word;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file)) return file;
    begin = end + 1;
  }
  return "";
}

bool IsRegularFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string YesNo(bool value) { return value ? "yes" : "no"; }

std::string Text(const std::vector<IdentityPart>& identity, std::string_view what) {
  std::vector<std::string> values;
  for (const IdentityPart& part : identity) {
    if (part.what == what) values.push_back(part.value);
  }
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, "; "));
}

// The values of one part in two descriptions.
struct Compared {
  std::string name, before, now;
};

std::vector<Compared> FieldsOf(const DeviceDescription& a, const DeviceDescription& b) {
  std::vector<Compared> fields = {
      {"kind", a.kind, b.kind},
      {"name", a.name, b.name},
      {"platform", a.platform, b.platform},
      {"vendor", a.vendor, b.vendor},
      {"device version", a.device_version, b.device_version},
      {"driver version", a.driver_version, b.driver_version},
      {"OpenCL C version", a.c_version, b.c_version},
      {"form of programs", ProgramText(a), ProgramText(b)},
      {"profile", std::string(ProfileName(a.profile)), std::string(ProfileName(b.profile))},
      {"correctly rounded divide and sqrt", YesNo(a.correctly_rounded_divide_sqrt),
       YesNo(b.correctly_rounded_divide_sqrt)},
      {"compute units", std::to_string(a.compute_units), std::to_string(b.compute_units)},
      {"vector widths", fmt::format("{}", fmt::join(a.widths, ",")),
       fmt::format("{}", fmt::join(b.widths, ","))}};
  for (numerics::Format format : numerics::kAllFormats) {
    const auto i = static_cast<std::size_t>(format);
    const std::string_view name = numerics::Traits(format).name;
    fields.push_back({std::string(name), a.supports[i] ? "there" : "missing",
                      b.supports[i] ? "there" : "missing"});
    if (!a.supports[i] || !b.supports[i]) continue;
    fields.push_back(
        {fmt::format("denormals of {}", name), YesNo(a.denormals[i]), YesNo(b.denormals[i])});
    fields.push_back({fmt::format("rounding of {}", name),
                      std::string(numerics::RoundingName(a.rounding[i])),
                      std::string(numerics::RoundingName(b.rounding[i]))});
  }
  for (const auto* identity : {&a.identity, &b.identity}) {
    for (const IdentityPart& part : *identity) {
      fields.push_back({"identity of the " + part.what, Text(a.identity, part.what),
                        Text(b.identity, part.what)});
    }
  }
  return fields;
}

}  // namespace

std::optional<std::string> DescriptionDifference(const DeviceDescription& before,
                                                 const DeviceDescription& now) {
  for (const Compared& field : FieldsOf(before, now)) {
    if (field.before == field.now) continue;
    return fmt::format("{}: '{}' before, '{}' now", field.name, field.before, field.now);
  }
  return std::nullopt;
}

std::string FileIdentity(const std::string& path) {
  const Expected<base::OpenedFile> file = base::OpenToRead(path);
  if (!file) return fmt::format("{}, not readable", path);
  const std::string build_id = file->size > kDigestLimit ? BuildIdOf(file->descriptor) : "";
  const std::string content =
      build_id.empty() ? "sha256 " + DigestOf(file->descriptor) : "build-id " + build_id;
  return fmt::format("{}, {} bytes, {}", path, file->size, content);
}

std::string LoadedFileAt(const void* address) {
  Dl_info info;
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code error;
  const auto resolved = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : resolved.string();
}

std::set<std::string> LoadedLibraries() {
  std::set<std::string> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        std::error_code error;
        const auto path = std::filesystem::canonical(info->dlpi_name, error);
        // The program itself has no name, and the kernel's vdso no file.
        if (!error) static_cast<std::set<std::string>*>(result)->insert(path.string());
        return 0;
      },
      &libraries);
  return libraries;
}

std::vector<IdentityPart> IdentityOfLibrary(const void* address) {
  const std::string file = LoadedFileAt(address);
  return {{"library", file.empty() ? "of no file" : FileIdentity(file)}};
}

std::vector<IdentityPart> IdentityOfDriver(const void* platform,
                                           const std::set<std::string>& before) {
  // cl_khr_icd: the first member of every object is a pointer to the driver's table of functions.
  // The loader itself calls through it, so it can be followed.  The driver may leave slots empty.
  std::string driver;
  const auto* const* table = *static_cast<const void* const* const*>(platform);
  constexpr int kSlotsOfOpenCl10 = 65;
  for (int slot = 0; table != nullptr && slot < kSlotsOfOpenCl10 && driver.empty(); ++slot) {
    driver = LoadedFileAt(table[slot]);
  }
  std::vector<IdentityPart> identity = {
      {"driver", driver.empty() ? "of no file" : FileIdentity(driver)}};
  for (const std::string& library : LoadedLibraries()) {
    if (library != driver && !before.contains(library)) {
      identity.push_back({"driver's libraries", FileIdentity(library)});
    }
  }
  return identity;
}

std::vector<IdentityPart> IdentityOfCommand(const std::string& command) {
  std::vector<IdentityPart> identity;
  std::set<std::string> seen;
  for (std::string_view part : text::Words(command)) {
    // The shell's quotes and separators stand at the ends of words.
    const std::size_t begin = part.find_first_not_of("'\"();&|<>");
    if (begin == std::string_view::npos) continue;
    const std::size_t end = part.find_last_not_of("'\"();&|<>");
    const std::string word(part.substr(begin, end - begin + 1));
    std::string file = word;
    // The first word that is found in PATH is the program that is started; "exec" and "X=1" are not
    // found.
    if (identity.empty() && word.find('/') == std::string::npos) file = OnThePath(word);
    if (file.empty() || !IsRegularFile(file) || !seen.insert(file).second) continue;
    identity.push_back({"program", FileIdentity(file)});
  }
  return identity;
}

IdentityPart IdentityOfAssay() {
  static const std::string kBuild = [] {
    const std::string id = base::OwnBuildId();
    if (!id.empty()) return "build-id " + id;
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::string("build unknown");
    const std::string digest = DigestOf(file);
    close(file);
    return "sha256 " + digest;
  }();
  return {"assay", kBuild};
}

}  // namespace assay::oracle
