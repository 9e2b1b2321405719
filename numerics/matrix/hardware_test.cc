// The models of devices against results that were recorded on the devices, as digests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json_text.h"
#include "numerics/matrix/multiply.h"
#include "numerics/matrix/random_tiles.h"
#include "numerics/matrix/tile.h"

namespace assay::numerics::matrix {
namespace {

// One digest for every `tiles` tiles, as many as were recorded.
std::vector<std::string> DigestsOf(const Model& model, std::uint64_t seed, std::size_t tiles,
                                   std::size_t count) {
  const auto size = [](int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  };
  std::vector<std::uint32_t> a(size(model.m, model.k)), b(size(model.k, model.n)),
      c(size(model.m, model.n)), d(c.size());
  Tile tile(model);
  std::vector<std::string> digests;
  for (std::size_t block = 0; block < count; ++block) {
    std::uint64_t digest = 0;
    for (std::uint64_t t = block * tiles; t < (block + 1) * tiles; ++t) {
      FillTile(model, seed, t, a.data(), b.data(), c.data());
      tile.Compute(a.data(), b.data(), c.data(), d.data());
      for (std::size_t i = 0; i < d.size(); ++i) digest += DigestTerm(d[i], t * d.size() + i);
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
    digests.emplace_back(text);
  }
  return digests;
}

// 262144 dot products of every instruction and pair of formats.
TEST(MatrixHardware, TheModelsGiveTheRecordedResults) {
  const auto text = base::ReadWholeFile(ASSAY_SOURCE_DIR "/numerics/matrix/recorded/h200.json");
  ASSERT_TRUE(text.has_value());
  const nlohmann::ordered_json recorded = base::ParseJson(*text);
  ASSERT_EQ(recorded.size(), 2u);
  for (const auto& [name, device] : recorded.items()) {
    ASSERT_EQ(device["digests"].size(), 9u);
    for (const auto& [pair, digests] : device["digests"].items()) {
      const std::size_t dash = pair.find('-');
      const auto model = FindModel(name, "", pair.substr(0, dash), pair.substr(dash + 1));
      ASSERT_TRUE(model.has_value()) << model.error().message;
      EXPECT_THAT(DigestsOf(*model, device["seed"].get<std::uint64_t>(),
                            device["tiles_in_block"].get<std::size_t>(), digests.size()),
                  testing::ElementsAreArray(digests.get<std::vector<std::string>>()))
          << name << " " << pair;
    }
  }
}

}  // namespace
}  // namespace assay::numerics::matrix
