#include "driver/objects/host_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "driver/core/call.h"
#include "driver/core/settings.h"
#include "driver/objects/image.h"
#include "driver/report/log.h"

namespace assay::driver {
namespace {

// Of kernels that have bytes the elements are not known: a structure may end in as many that nobody
// writes, behind a member that is a vector.
constexpr std::uint64_t kMostPadding = 16;

struct Count {
  std::uint64_t elements = 0;  // that the host gets
  std::uint64_t unwritten = 0;
  std::uint64_t first = 0;  // of them, by its place in the object
};

bool AreZero(std::span<const std::byte> bytes) {
  return bytes.empty() || (bytes[0] == std::byte{0} &&
                           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

// Counts elements of `size` bytes that lie in the rows, and those of which all bits are undefined.
Count CountElements(const Memory& from, const Rectangle& rows, std::uint64_t size) {
  Count count;
  ForEachRow(rows, rows, [&](std::uint64_t at, std::uint64_t, std::uint64_t bytes) {
    const auto undefined = from.storage->Undefined(from.offset + at, bytes);
    // A row of an image may begin anywhere; its elements are counted from there.
    const std::uint64_t skipped = from.IsImage() ? 0 : (size - at % size) % size;
    if (undefined && AreZero(*undefined)) {
      count.elements += bytes < skipped ? 0 : (bytes - skipped) / size;
      return;
    }
    for (std::uint64_t i = skipped; i + size <= bytes; i += size) {
      ++count.elements;
      const bool is_unwritten =
          !undefined || std::ranges::all_of(undefined->subspan(i, size),
                                            [](std::byte bits) { return bits == std::byte{0xff}; });
      if (!is_unwritten) continue;
      if (count.unwritten++ == 0) count.first = (at + i) / size;
    }
  });
  return count;
}

// Fewer of its bytes than may be the padding of a structure.
bool MayBePadding(const Memory& from, const Rectangle& rows) {
  bool is_more = false;
  ForEachRow(rows, rows, [&](std::uint64_t at, std::uint64_t, std::uint64_t bytes) {
    const auto undefined = from.storage->Undefined(from.offset + at, bytes);
    if (!undefined) is_more |= bytes >= kMostPadding;
    if (!undefined || undefined->empty()) return;
    std::uint64_t run = 0;
    for (const std::byte bits : *undefined) {
      run = bits == std::byte{0xff} ? run + 1 : 0;
      is_more |= run >= kMostPadding;
    }
  });
  return !is_more;
}

std::string Verb(std::uint64_t count) { return count == 1 ? "was" : "were"; }

}  // namespace

HostRead::HostRead(const char* call) : call_(call) {
  if (Log::Get().IsOn() && WatchesDefinedness()) {
    stack_ = std::make_shared<const CallStack>(CaptureStack());
  }
}

void HostRead::Tell(const Memory& from, const Rectangle& rows) const {
  if (stack_ == nullptr || !from.storage->IsUndefinedSomewhere()) return;
  const StorageUse& use = from.storage->last_use;
  const bool is_image = from.IsImage();
  const std::uint64_t size = is_image ? ElementBytes(from.image->descriptor) : use.element_bytes;
  const Count count = CountElements(from, rows, size);
  if (count.unwritten == 0 || (size == 1 && MayBePadding(from, rows))) return;
  const std::string_view noun = is_image ? "pixel" : size == 1 ? "byte" : "element";
  std::vector<std::string> history;
  if (use.kernel.empty()) {
    history.emplace_back("no kernel has had it");
  } else {
    history.push_back(fmt::format("the last kernel that had it: '{}'", use.kernel));
  }
  std::vector<RelatedCall> related;
  if (from.created() != nullptr) {
    related.push_back({from.Name() + " was created", FramesOf(*from.created())});
  }
  TellMisuse(call_, interp::Rule::kHostUndefinedRead,
             fmt::format("{} of the {} {}s of {} that the host gets {} never written, the first "
                         "is {} {}",
                         count.unwritten, count.elements, noun, use.NameFor(from.Name()),
                         Verb(count.unwritten), noun, count.first),
             std::move(history), stack_.get(), std::move(related));
}

}  // namespace assay::driver
