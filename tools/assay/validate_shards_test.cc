#include "tools/assay/validate_shards.h"

#include <gtest/gtest.h>

#include "base/threads.h"
#include "numerics/function.h"

namespace assay::tools {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;

const Operation kExpOfFloat = Operation::Builtin(Function::exp, Format::kFloat);
const Operation kExpOfHalf = Operation::Builtin(Function::exp, Format::kHalf);
const Operation kPowOfFloat = Operation::Builtin(Function::pow, Format::kFloat);

ValidateOptions AllFloats() {
  ValidateOptions options;
  options.device.library = "libm.so.6";
  options.level = "exhaustive";
  options.functions = {"exp"};
  return options;
}

TEST(ShardsByThemselves, OfAllFloatsOfALibraryOneForEachProcessor) {
  const int processors = base::ThreadCount(0);
  const int expected = processors > 1 ? processors : 0;
  EXPECT_EQ(ShardsByThemselves(AllFloats(), {kExpOfFloat}), expected);
  EXPECT_EQ(ShardsByThemselves(AllFloats(), {kPowOfFloat, kExpOfFloat}), expected);
  EXPECT_EQ(ShardsByThemselves(AllFloats(), {kExpOfHalf}), 0);
  EXPECT_EQ(ShardsByThemselves(AllFloats(), {kPowOfFloat}), 0);
}

TEST(ShardsByThemselves, AreNoneWhereTheUserSaysHow) {
  const auto shards = [](auto change) {
    ValidateOptions options = AllFloats();
    change(&options);
    return ShardsByThemselves(options, {kExpOfFloat});
  };
  EXPECT_EQ(shards([](ValidateOptions* o) { o->level = "standard"; }), 0);
  EXPECT_EQ(shards([](ValidateOptions* o) { o->threads = 2; }), 0);
  EXPECT_EQ(shards([](ValidateOptions* o) { o->shard = "1/4"; }), 0);
  EXPECT_EQ(shards([](ValidateOptions* o) { o->checkpoint = "c"; }), 0);
  EXPECT_EQ(shards([](ValidateOptions* o) { o->baseline = "b.json"; }), 0);
  EXPECT_EQ(shards([](ValidateOptions* o) { o->stop_after_failures = 3; }), 0);
  EXPECT_EQ(shards([](ValidateOptions* o) { o->device.library.clear(); }), 0);
  // The checkpoint of one process is gone on with.
  EXPECT_EQ(shards([](ValidateOptions* o) {
              o->json = "/nonexistent/r.json";
              o->resume = true;
            }),
            0);
}

}  // namespace
}  // namespace assay::tools
