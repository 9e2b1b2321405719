#include "frontend/build/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/in_child.h"

namespace assay::frontend {
namespace {

// Changes with what the bytes mean, so that a driver and a program of two versions do not talk.
constexpr std::string_view kForm = "assay-build/1";
constexpr std::string_view kRemedy =
    "the OpenCL driver and the program `assay` are of two versions; install both from one package, "
    "or set ASSAY_PROGRAM to the program that belongs to the driver";

base::Packed Begun(std::uint64_t kind) {
  base::Packed packed;
  packed.Add(kForm);
  packed.Add(kind);
  return packed;
}

Expected<std::uint64_t> Begin(base::Packed* packed) {
  if (packed->Text() == kForm) return packed->Number();
  return Fail(ErrorKind::kUsage, std::string(kRemedy));
}

// A count of things that take at least eight bytes each; more than there can be is damage.
std::size_t Count(base::Packed* packed) {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(packed->Number(), packed->bytes().size() / 8));
}

void AddWords(const std::vector<Word>& words, base::Packed* packed) {
  packed->Add(base::BytesOf(words));
}

std::vector<Word> WordsIn(base::Packed* packed) { return base::ItemsOf<Word>(packed->Text()); }

CompileRequest CompileIn(base::Packed* packed) {
  CompileRequest request;
  request.source = packed->Text();
  request.options = packed->Text();
  request.working_folder = packed->Text();
  request.name = packed->Text();
  request.headers.resize(Count(packed));
  for (EmbeddedHeader& header : request.headers) {
    header.name = packed->Text();
    header.source = packed->Text();
  }
  return request;
}

LinkRequest LinkIn(base::Packed* packed) {
  LinkRequest request;
  request.options = packed->Text();
  request.modules.resize(Count(packed));
  for (auto& words : request.modules) words = WordsIn(packed);
  return request;
}

IlRequest IlIn(base::Packed* packed) {
  IlRequest request;
  request.bytes = packed->Text();
  request.name = packed->Text();
  for (std::size_t count = Count(packed); count > 0; --count) {
    const auto id = static_cast<std::uint32_t>(packed->Number());
    request.specialization[id] = packed->Number();
  }
  return request;
}

}  // namespace

std::string Pack(const CompileRequest& request, RequestKind kind) {
  base::Packed packed = Begun(static_cast<std::uint64_t>(kind));
  for (const std::string* text :
       {&request.source, &request.options, &request.working_folder, &request.name}) {
    packed.Add(std::string_view(*text));
  }
  packed.Add(std::uint64_t{request.headers.size()});
  for (const EmbeddedHeader& header : request.headers) {
    packed.Add(std::string_view(header.name));
    packed.Add(std::string_view(header.source));
  }
  return packed.bytes();
}

std::string Pack(const LinkRequest& request) {
  base::Packed packed = Begun(static_cast<std::uint64_t>(RequestKind::kLink));
  packed.Add(std::string_view(request.options));
  packed.Add(std::uint64_t{request.modules.size()});
  for (const auto& words : request.modules) AddWords(words, &packed);
  return packed.bytes();
}

std::string Pack(const IlRequest& request) {
  base::Packed packed = Begun(static_cast<std::uint64_t>(RequestKind::kCheckIl));
  packed.Add(std::string_view(request.bytes));
  packed.Add(std::string_view(request.name));
  packed.Add(std::uint64_t{request.specialization.size()});
  for (const auto& [id, value] : request.specialization) {
    packed.Add(std::uint64_t{id});
    packed.Add(value);
  }
  return packed.bytes();
}

std::string Pack(const BuildAnswer& answer) {
  base::Packed packed = Begun(static_cast<std::uint64_t>(answer.status));
  AddWords(answer.words, &packed);
  packed.Add(std::string_view(answer.log));
  packed.Add(std::uint64_t{answer.from_cache});
  packed.Add(std::uint64_t{answer.spec_constants.size()});
  for (const SpecConstant& constant : answer.spec_constants) {
    packed.Add(std::uint64_t{constant.id});
    packed.Add(std::uint64_t{constant.bytes});
  }
  return packed.bytes();
}

Expected<Request> UnpackRequest(std::string bytes) {
  base::Packed packed(std::move(bytes));
  const auto kind = Begin(&packed);
  if (!kind) return tl::unexpected(kind.error());
  Request request;
  request.kind = static_cast<RequestKind>(*kind);
  switch (request.kind) {
    case RequestKind::kCompile:
    case RequestKind::kBuild:
      request.compile = CompileIn(&packed);
      return request;
    case RequestKind::kLink:
      request.link = LinkIn(&packed);
      return request;
    case RequestKind::kCheckIl:
      request.il = IlIn(&packed);
      return request;
  }
  return Fail(ErrorKind::kUsage, std::string(kRemedy));
}

Expected<BuildAnswer> UnpackAnswer(std::string bytes) {
  base::Packed packed(std::move(bytes));
  const auto status = Begin(&packed);
  if (!status) return tl::unexpected(status.error());
  if (*status > static_cast<std::uint64_t>(BuildStatus::kCompilerNotAvailable)) {
    return Fail(ErrorKind::kUsage, std::string(kRemedy));
  }
  BuildAnswer answer;
  answer.status = static_cast<BuildStatus>(*status);
  answer.words = WordsIn(&packed);
  answer.log = packed.Text();
  answer.from_cache = packed.Number() != 0;
  answer.spec_constants.resize(Count(&packed));
  for (SpecConstant& constant : answer.spec_constants) {
    constant.id = static_cast<std::uint32_t>(packed.Number());
    constant.bytes = static_cast<std::uint32_t>(packed.Number());
  }
  return answer;
}

}  // namespace assay::frontend
