#include "driver/objects/storage.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "driver/core/driver.h"

namespace assay::driver {
namespace {

TEST(Storage, FillsWithPatterns) {
  for (const std::size_t width : {1, 4, 128}) {
    for (const std::size_t count : {0, 1, 2, 3, 1000, 33333}) {
      std::vector<std::byte> pattern(width);
      for (std::size_t i = 0; i < width; ++i) pattern[i] = static_cast<std::byte>(i + 1);
      std::vector<std::byte> bytes(width * count + 1);
      FillBytes(std::span(bytes).first(width * count), pattern);
      bool is_equal = true;
      for (std::size_t i = 0; i < width * count; ++i) is_equal &= bytes[i] == pattern[i % width];
      EXPECT_TRUE(is_equal) << count << " times " << width;
      EXPECT_EQ(bytes.back(), std::byte{0}) << count << " times " << width;
    }
  }
}

class StorageBits : public testing::Test {
 protected:
  ~StorageBits() override { context_->Release(); }
  // The record of undefined bits that kernels are told of; 0 where there is none.
  int UndefinedAt(Storage* storage, std::uint64_t offset) {
    interp::Memory* memory = context_->memory.get();
    const interp::Address address = storage->AddressFor(memory);
    const interp::Region& region = memory->regions()[address >> memory->layout().place_bits];
    const std::byte* undefined = region.shadow->undefined;
    return undefined == nullptr ? 0 : static_cast<int>(undefined[offset]);
  }

  const std::lock_guard<std::mutex> lock_{Driver::Get().mutex};
  const Ref<Context> context_ = new Context({Driver::Get().device}, {});
};

TEST_F(StorageBits, CopiedBytesAreAsUndefinedAsTheirSource) {
  Storage from(context_.get(), 16, "from");
  from.MakeUndefined();
  from.Define(0, 4);
  Storage to(context_.get(), 16, "to");
  to.CopyUndefined(8, from, 0, 8);
  EXPECT_EQ(UndefinedAt(&to, 7), 0) << "not copied";
  EXPECT_EQ(UndefinedAt(&to, 8), 0) << "copied from defined bytes";
  EXPECT_EQ(UndefinedAt(&to, 11), 0);
  EXPECT_EQ(UndefinedAt(&to, 12), 0xff) << "copied from undefined bytes";
  EXPECT_EQ(UndefinedAt(&to, 15), 0xff);
  to.Define(0, 16);
  EXPECT_EQ(UndefinedAt(&to, 15), 0) << "the host wrote all";
}

TEST_F(StorageBits, WhatTheHostMayWriteUnseenIsNotUndefined) {
  Storage from(context_.get(), 16, "from");
  from.MakeUndefined();
  Storage shared(context_.get(), 16, "shared");
  shared.LetHostWrite();
  shared.CopyUndefined(0, from, 0, 16);
  EXPECT_EQ(UndefinedAt(&shared, 0), 0) << "the host may have written after the copy";
  Storage opened(context_.get(), 16, "opened");
  opened.CopyUndefined(0, from, 0, 16);
  EXPECT_EQ(UndefinedAt(&opened, 0), 0xff);
  opened.LetHostWrite();
  EXPECT_FALSE(opened.IsUndefinedSomewhere());
  Storage to(context_.get(), 16, "to");
  to.MakeUndefined();
  to.CopyUndefined(0, opened, 0, 8);
  EXPECT_EQ(UndefinedAt(&to, 7), 0) << "copied from what the host may have written";
  EXPECT_EQ(UndefinedAt(&to, 8), 0xff);
  EXPECT_EQ(UndefinedAt(&opened, 0), 0) << "a record of before the host could write";
}

}  // namespace
}  // namespace assay::driver
