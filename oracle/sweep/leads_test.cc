#include "oracle/sweep/leads.h"

#include <gtest/gtest.h>

#include <random>

#include "numerics/function.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;

const Operation kPow = Operation::Builtin(Function::pow, Format::kFloat);

bool operator==(const Lead& a, const Lead& b) { return a.args == b.args && a.ulp == b.ulp; }

TEST(LeadsTest, KeepsTheFirstLargestErrorOfEachBinade) {
  Leads leads(kPow);
  leads.Learn({.args = {0x3f800000, 0x40000000}, .ulp = 0.25});
  leads.Learn({.args = {0x3f800001, 0x40000001}, .ulp = 0.5});   // the same binades
  leads.Learn({.args = {0x3f800002, 0x40000002}, .ulp = 0.5});   // not larger
  leads.Learn({.args = {0xbf800000, 0x40000000}, .ulp = 0.75});  // of the other sign
  leads.Learn({.args = {0x3f800000, 0x40800000}, .ulp = 0.125});
  const std::vector<Lead> list = leads.List();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_TRUE((list[0] == Lead{.args = {0xbf800000, 0x40000000}, .ulp = 0.75}));
  EXPECT_TRUE((list[1] == Lead{.args = {0x3f800001, 0x40000001}, .ulp = 0.5}));
  EXPECT_TRUE((list[2] == Lead{.args = {0x3f800000, 0x40800000}, .ulp = 0.125}));
}

TEST(LeadsTest, IntegersAreToldApartByTheirLength) {
  Leads leads(Operation::Builtin(Function::ldexp, Format::kFloat));
  for (const numerics::Bits n : {0u, 1u, 2u, 3u, 0xffffffffu, 0xfffffffeu, 0x7fffffffu}) {
    leads.Learn({.args = {0x3f800000, n}, .ulp = 0});
  }
  EXPECT_EQ(leads.List().size(), 6u) << "2 and 3 have one length";
}

// Errors are equal now and then, so that the order of equal ones is a part of it.
TEST(LeadsTest, ForgettingAndResumingChangeNothing) {
  std::mt19937_64 random(3);
  std::vector<Lead> all(60000);
  for (Lead& lead : all) {
    lead = {.args = {random() & 0x7fffffff, random() & 0x7fffffff},
            .ulp = static_cast<double>(random() % 4096) / 64};
  }
  Leads whole(kPow);
  for (const Lead& lead : all) whole.Learn(lead);
  const std::vector<Lead> expected = whole.List();
  ASSERT_EQ(expected.size(), kMostLeads);
  for (const std::size_t cut : {std::size_t{1}, std::size_t{5000}, all.size() - 3}) {
    Leads before(kPow), after(kPow);
    for (std::size_t i = 0; i < cut; ++i) before.Learn(all[i]);
    for (const Lead& lead : before.List()) after.Learn(lead);
    for (std::size_t i = cut; i < all.size(); ++i) after.Learn(all[i]);
    const std::vector<Lead> resumed = after.List();
    ASSERT_EQ(resumed.size(), expected.size());
    for (std::size_t i = 0; i < resumed.size(); ++i) ASSERT_TRUE(resumed[i] == expected[i]) << i;
  }
}

}  // namespace
}  // namespace assay::oracle
