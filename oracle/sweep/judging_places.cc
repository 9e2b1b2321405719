// Where the items of a batch stand, by sign and exponent, and what is known of the errors there.
#include <algorithm>

#include "oracle/sweep/judging.h"
#include "oracle/sweep/judging_local.h"

namespace assay::oracle {

namespace {

// The numbers of the places of an operand's elements; of a vector, its first component.
template <typename T>
void NumberElements(const PlaceNumbers& places, const numerics::ConstColumn& column,
                    std::size_t begin, std::size_t end, std::uint16_t* numbers) {
  const auto components = static_cast<std::size_t>(column.slot.components);
  const auto* const elements = static_cast<const T*>(column.data);
  for (std::size_t i = begin; i < end; ++i) {
    *numbers++ = static_cast<std::uint16_t>(places.Of(elements[i * components]));
  }
}
void NumberOperand(const PlaceNumbers& places, const numerics::ConstColumn& column,
                   std::size_t begin, std::size_t end, std::uint16_t* numbers) {
  switch (numerics::SizeOf(column.slot.type)) {
    case 1:
      return NumberElements<std::uint8_t>(places, column, begin, end, numbers);
    case 2:
      return NumberElements<std::uint16_t>(places, column, begin, end, numbers);
    case 4:
      return NumberElements<std::uint32_t>(places, column, begin, end, numbers);
    default:
      return NumberElements<std::uint64_t>(places, column, begin, end, numbers);
  }
}

}  // namespace

// Of the items of a chunk, where they stand.
void Judging::NumberPlaces(const Batch& batch, std::size_t begin, std::size_t end,
                           Local& local) const {
  const std::span<const numerics::ConstColumn> columns = batch.inputs.Readable();
  NumberOperand(places_[0], columns[0], begin, end, local.numbers.data());
  if (!HasPlane()) return;
  NumberOperand(places_[1], columns[1], begin, end, local.cells.data());
  for (std::size_t i = 0; i < end - begin; ++i) {
    const std::size_t x = plane_indices_[0][local.numbers[i]];
    const std::size_t y = plane_indices_[1][local.cells[i]];
    local.cells[i] = static_cast<std::uint16_t>(x * kPlaneWidth + y);
  }
}

// Counts the items of a chunk where they stand, with their errors. NumberPlaces first.
void Judging::Place(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const {
  const std::uint64_t counted = batch.repeats ? 0 : 1;
  // Neighbours in a sweep stand in one place: their sum is kept in registers.
  std::size_t place = 0;
  ErrorAt sum;
  for (std::size_t i = 0; i < end - begin; ++i) {
    const double worst = local.worst[i];
    const int width = widths_[local.worst_width[i]];
    if (local.numbers[i] != place) {
      local.places[place].Merge(sum);
      place = local.numbers[i];
      sum = {};
    }
    sum.Add(counted, worst, width);
    if (HasPlane()) local.plane[local.cells[i]].Add(counted, worst, width);
  }
  local.places[place].Merge(sum);
}

void Judging::KeepPlaces(Local& local) const {
  Statistics& statistics = local.statistics;
  for (std::size_t number = 0; number < local.places.size(); ++number) {
    const ErrorAt& at = local.places[number];
    const auto place = places_[0].PlaceAt(number);
    if (!place || at.IsEmpty()) continue;
    BinadeStatistics& binade = statistics.binades[place->exponent];
    binade.inputs += at.inputs;
    binade.max_ulp = std::max(binade.max_ulp, at.max_ulp);
    binade.signs[place->negative ? 1 : 0].Merge(at);
  }
  for (std::size_t p = 0; p < local.plane.size(); ++p) {
    const std::pair steps{static_cast<int>(p / kPlaneWidth) - kPlaneSteps,
                          static_cast<int>(p % kPlaneWidth) - kPlaneSteps};
    if (steps.first == 0 || steps.second == 0 || local.plane[p].IsEmpty()) continue;
    statistics.plane[steps] = local.plane[p];
  }
}

// What is known of the places, without its counts: to be merged with the statistics that it is
// from.
void Judging::StartFrom(const Statistics& so_far, Local& local) const {
  const auto known = [](const ErrorAt& at) {
    return ErrorAt{.inputs = 0, .max_ulp = at.max_ulp, .width = at.width};
  };
  auto binade = so_far.binades.end();
  for (std::size_t number = 0; number < local.places.size(); ++number) {
    const auto place = places_[0].PlaceAt(number);
    if (!place) continue;
    // Places that follow one another mostly have binades that do.
    if (binade != so_far.binades.end()) ++binade;
    if (binade == so_far.binades.end() || binade->first != place->exponent) {
      binade = so_far.binades.find(place->exponent);
    }
    if (binade == so_far.binades.end()) continue;
    local.places[number] = known(binade->second.signs[place->negative ? 1 : 0]);
  }
  for (const auto& [steps, at] : so_far.plane) {
    local.plane[PlaneIndex(steps.first) * kPlaneWidth + PlaneIndex(steps.second)] = known(at);
  }
  local.statistics.has_worst = so_far.has_worst;
  local.statistics.max_ulp = so_far.max_ulp;
  local.statistics.worst = so_far.worst;
}

}  // namespace assay::oracle
