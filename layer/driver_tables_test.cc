#include "layer/driver_tables.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>

namespace assay::layer {
namespace {

cl_int Own(cl_command_queue /*queue*/) { return 1; }
cl_int Ours(cl_command_queue /*queue*/) { return 2; }

void Follow(cl_icd_dispatch* table) {
  table->clFinish = &Ours;
  table->clCreateBufferWithProperties = nullptr;
}

TEST(DriverTablesTest, TheVersionSaysHowLongATableIs) {
  EXPECT_EQ(EntriesOf("OpenCL 1.2 pocl"),
            offsetof(cl_icd_dispatch, clCreateCommandQueueWithProperties) / 8);
  EXPECT_EQ(EntriesOf("OpenCL 1.0"), offsetof(cl_icd_dispatch, clSetEventCallback) / 8);
  EXPECT_EQ(EntriesOf("OpenCL 3.0 x"), sizeof(cl_icd_dispatch) / 8);
  EXPECT_EQ(EntriesOf("OpenCL 3.1"), sizeof(cl_icd_dispatch) / 8);
  EXPECT_EQ(EntriesOf("1.2"), 0U);
}

TEST(DriverTablesTest, ATableInReadOnlyMemoryIsReplacedAndKeptReadOnly) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* memory = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  // Over the end of a page.
  auto* live = reinterpret_cast<cl_icd_dispatch*>(
      memory + page - offsetof(cl_icd_dispatch, clFinish) + sizeof(void*) - 16);
  live->clFinish = &Own;
  live->clFlush = &Own;
  ASSERT_EQ(mprotect(memory, 2 * page, PROT_READ), 0);
  const void* object[] = {live};
  auto tables = std::make_unique<DriverTables>();
  EXPECT_TRUE(tables->empty());
  ASSERT_TRUE(tables->Add(live, EntriesOf("OpenCL 2.0"), &Follow));
  EXPECT_FALSE(tables->empty());
  EXPECT_EQ(live->clFinish(nullptr), 2);
  EXPECT_EQ(live->clFlush(nullptr), 1);
  EXPECT_EQ(tables->Of(object).clFinish(nullptr), 1);
  EXPECT_EQ(tables->Of(nullptr).clFinish(nullptr), 1);
  // Once more changes nothing: the own functions stay the driver's.
  ASSERT_TRUE(tables->Add(live, EntriesOf("OpenCL 2.0"), &Follow));
  EXPECT_EQ(tables->Of(object).clFinish(nullptr), 1);
  EXPECT_DEATH(live->clFinish = &Own, "");
  // Another table is itself.
  cl_icd_dispatch other{};
  const void* another[] = {&other};
  EXPECT_EQ(&tables->Of(another), &other);
  munmap(memory, 2 * page);
}

TEST(DriverTablesTest, WhatIsBehindTheTableStays) {
  auto table = std::make_unique<cl_icd_dispatch>();
  std::memset(static_cast<void*>(table.get()), 0x5a, sizeof *table);
  cl_icd_dispatch before = *table;
  auto tables = std::make_unique<DriverTables>();
  ASSERT_TRUE(tables->Add(table.get(), EntriesOf("OpenCL 2.1"), &Follow));
  EXPECT_EQ(table->clFinish, &Ours);
  EXPECT_EQ(table->clCreateBufferWithProperties, before.clCreateBufferWithProperties);
}

}  // namespace
}  // namespace assay::layer
