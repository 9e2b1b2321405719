#include "oracle/devices/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace assay::oracle {
namespace {

constexpr std::size_t kRegionPage = 4096;
constexpr std::size_t kPoisonWord = 8;
// LookEarly looks at one page of so many, and at the last ones.
constexpr std::size_t kEarlyPages = 16;
constexpr std::size_t kLastPages = 2;

std::size_t RegionItemBytes(const numerics::Slot& slot) {
  return SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
}

std::size_t AlignTo(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

// Before each column stands a page of this.
Poison GuardPoison() { return Poison({.seed = 0x6775617264, .width = 0}); }

// Writes to `to` what stands at byte `at` of the poison.
void RestorePoison(const Poison& poison, std::size_t at, std::size_t size, std::byte* to) {
  std::byte word[kPoisonWord];
  poison.From(at / kPoisonWord).Fill(word);
  std::memcpy(to, word + at % kPoisonWord, size);
}

}  // namespace

Poison RangePoison(std::size_t shift) {
  static const Poison kAll({.seed = 0x72616e6765, .width = 0});
  return kAll.From(kRangeLead + shift);
}

void RangeAnswers::Take(std::size_t begin, std::size_t end, const ColumnSet& to,
                        std::vector<Unwritten>* unwritten) const {
  std::size_t first_result = 0;
  for (std::size_t k = 0; k < zones_.size(); ++k) {
    const Zone& zone = zones_[k];
    const Column& column = to.Writable()[k];
    const auto components = static_cast<std::size_t>(column.slot.components);
    const std::size_t bytes = RegionItemBytes(column.slot), at = begin * bytes;
    std::byte* const taken = static_cast<std::byte*>(column.data) + at;
    std::vector<std::size_t> elements =
        zone.now.From(at / kPoisonWord)
            .Take(zone.items.subspan(at, (end - begin) * bytes), zone.element,
                  zone.next.From(at / kPoisonWord), taken);
    const std::size_t first = begin * components;
    auto late = std::lower_bound(zone.late.begin(), zone.late.end(), first);
    for (; late != zone.late.end() && *late < end * components; ++late) {
      const std::size_t element = *late - first;
      const auto place = std::lower_bound(elements.begin(), elements.end(), element);
      if (place == elements.end() || *place != element) elements.insert(place, element);
      RestorePoison(zone.now, *late * zone.element, zone.element, taken + element * zone.element);
    }
    for (const std::size_t element : elements) {
      unwritten->push_back(
          {.item = begin + element / components, .result = first_result + element % components});
    }
    first_result += components;
  }
}

void RangeAnswers::LookEarly() {
  for (Zone& zone : zones_) {
    const std::size_t bytes = count_ * zone.item_bytes;
    const std::size_t pages = AlignTo(bytes, kRegionPage) / kRegionPage;
    for (std::size_t page = 0; page < pages; ++page) {
      if (page % kEarlyPages != 0 && page + kLastPages < pages) continue;
      const std::size_t at = page * kRegionPage;
      for (const std::size_t element :
           zone.now.From(at / kPoisonWord)
               .FindUnwritten(zone.items.subspan(at, std::min(kRegionPage, bytes - at)),
                              zone.element)) {
        zone.late.push_back(at / zone.element + element);
      }
    }
  }
}

std::size_t RangeRegions::FreeRegion() {
  for (std::size_t k = 0; k < regions_.size(); ++k) {
    if (!regions_[k].lent) return k;
  }
  regions_.emplace_back();
  return regions_.size() - 1;
}

void RangeRegions::FillPoison(Region* region) {
  for (std::size_t k = 0; k < region->offsets.size(); ++k) {
    std::byte* data = region->data + region->offsets[k];
    region->shifts[k] = NextShift();
    GuardPoison().Fill({data - kRegionPage, kRegionPage});
    RangePoison(region->shifts[k])
        .Fill({data, region->capacity * region->item_bytes[k] + kRegionPage + kPoisonWord});
  }
  region->poisoned = true;
}

Expected<RangeRegions::Lease> RangeRegions::Lend(const std::vector<numerics::Slot>& outputs,
                                                 std::size_t capacity, std::size_t count) {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> item_bytes;
  for (const numerics::Slot& slot : outputs) item_bytes.push_back(RegionItemBytes(slot));
  const std::size_t number = FreeRegion();
  Region& region = regions_[number];
  if (region.item_bytes != item_bytes || region.capacity != capacity) {
    region = {.capacity = capacity, .item_bytes = item_bytes};
    for (const std::size_t bytes : item_bytes) {
      region.offsets.push_back(region.size + kRegionPage);
      region.size = AlignTo(region.offsets.back() + capacity * bytes + kRegionPage + kPoisonWord,
                            kRegionPage);
    }
    region.shifts.resize(item_bytes.size());
    auto data = reserve_(number, region.size);
    if (!data) {
      region = {};
      return tl::unexpected<Error>(data.error());
    }
    region.data = *data;
  }
  if (!region.poisoned) FillPoison(&region);
  region.lent = true;
  Lease lease{
      .region = number, .size = region.size, .offsets = region.offsets, .shifts = region.shifts};
  lease.answers.region_ = number;
  lease.answers.count_ = count;
  for (std::size_t k = 0; k < item_bytes.size(); ++k) {
    std::byte* data = region.data + region.offsets[k];
    const std::size_t next = NextShift();
    lease.columns.push_back(data);
    lease.answers.zones_.push_back(
        {.items = {data, capacity * item_bytes[k] + kRegionPage + kPoisonWord},
         .item_bytes = item_bytes[k],
         .element = SizeOf(outputs[k].type),
         .now = RangePoison(region.shifts[k]),
         .next = RangePoison(next),
         .next_shift = next});
  }
  return lease;
}

std::optional<std::string> RangeRegions::FindTrespass(const RangeAnswers& answers) {
  for (std::size_t k = 0; k < answers.zones_.size(); ++k) {
    const RangeAnswers::Zone& zone = answers.zones_[k];
    if (const auto written =
            GuardPoison().FindWritten({zone.items.data() - kRegionPage, kRegionPage})) {
      return fmt::format("bytes {} to {} before the answers of result {}",
                         kRegionPage - written->last, kRegionPage - written->first, k);
    }
    const std::size_t end = AlignTo(answers.count_ * zone.item_bytes, kPoisonWord);
    const Poison behind = zone.now.From(end / kPoisonWord);
    if (const auto written = behind.FindWritten(zone.items.subspan(end, kRegionPage))) {
      return fmt::format("bytes {} to {} behind the answers of result {}", written->first,
                         written->last, k);
    }
  }
  return std::nullopt;
}

void RangeRegions::GiveBack(const RangeAnswers& answers, bool taken) {
  const std::lock_guard lock(mutex_);
  Region& region = regions_[answers.region_];
  region.lent = false;
  region.poisoned = taken;
  for (std::size_t k = 0; taken && k < answers.zones_.size(); ++k) {
    const RangeAnswers::Zone& zone = answers.zones_[k];
    const std::size_t done = answers.count_ * region.item_bytes[k] / kPoisonWord * kPoisonWord;
    zone.next.From(done / kPoisonWord).Fill(zone.items.subspan(done));
    region.shifts[k] = zone.next_shift;
  }
}

}  // namespace assay::oracle
