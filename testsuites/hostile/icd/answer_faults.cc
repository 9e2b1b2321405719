#include "testsuites/hostile/icd/answer_faults.h"

#include <algorithm>
#include <random>
#include <string_view>

#include "testsuites/hostile/icd/fault.h"

namespace assay::hostile {
namespace {

constexpr std::size_t kWorkGroup = 64;
constexpr Bits kFar = 1 << 9;  // ulps, more than any limit that the tests ask for

bool IsFinite(const Answer& a) { return Magnitude(a.type, a.right) < Infinity(a.type); }
bool IsInfinite(const Answer& a) {
  return IsFloating(a.type) && Magnitude(a.type, a.right) == Infinity(a.type);
}
bool IsNan(const Answer& a) {
  return IsFloating(a.type) && Magnitude(a.type, a.right) > Infinity(a.type);
}
// A normal number that stays one if its last place moves.
bool IsNumber(const Answer& a) {
  return IsFloating(a.type) && IsFinite(a) && Magnitude(a.type, a.right) >= MinNormal(a.type) &&
         Magnitude(a.type, a.right) + kFar < Infinity(a.type);
}

// The last place of a number, or the value of an integer.
Bits Moved(const Answer& a, Bits steps) {
  return IsNumber(a) || !IsFloating(a.type) ? a.right + steps : a.right;
}
bool FirstArgumentIsOne(const Answer& a) {
  return a.args[0] == (IsFloating(a.operand_type) ? One(a.operand_type) : Bits{1});
}

Bits RandomBit() {
  static std::mt19937 generator{std::random_device{}()};
  return generator() & 1;
}

struct Fault {
  std::string_view word;
  Bits (*answer)(const Answer&);
};

constexpr Fault kFaults[] = {
    {"ulp_off", [](const Answer& a) { return Moved(a, 1); }},
    {"ulp_off_at_one",
     [](const Answer& a) { return FirstArgumentIsOne(a) ? a.right + 1 : a.right; }},
    {"far_off", [](const Answer& a) { return Moved(a, kFar); }},
    {"far_off_at_one",
     [](const Answer& a) { return FirstArgumentIsOne(a) ? a.right + kFar : a.right; }},
    {"far_off_in_lane",
     [](const Answer& a) {
       return a.lane == static_cast<int>(NumberOf("far_off_in_lane", 3)) ? Moved(a, kFar) : a.right;
     }},
    {"far_off_in_width",
     [](const Answer& a) {
       return a.width == static_cast<int>(NumberOf("far_off_in_width", 8)) ? Moved(a, kFar)
                                                                           : a.right;
     }},
    {"far_off_at_the_end",
     [](const Answer& a) { return a.item + 1 == a.items ? Moved(a, kFar) : a.right; }},
    {"far_off_later",
     [](const Answer& a) {
       return a.launch >= NumberOf("far_off_later", 3) ? Moved(a, kFar) : a.right;
     }},
    {"nan_for_infinity",
     [](const Answer& a) { return IsInfinite(a) ? QuietNan(a.type) : a.right; }},
    {"largest_for_infinity", [](const Answer& a) { return IsInfinite(a) ? a.right - 1 : a.right; }},
    {"zero_for_nan", [](const Answer& a) { return IsNan(a) ? Bits{0} : a.right; }},
    {"plus_zero",
     [](const Answer& a) {
       return IsFloating(a.type) && Magnitude(a.type, a.right) == 0 ? Bits{0} : a.right;
     }},
    {"sign_lost",
     [](const Answer& a) { return IsFloating(a.type) ? Magnitude(a.type, a.right) : a.right; }},
    {"low_bits_lost", [](const Answer& a) { return a.right & ~Bits{0xff}; }},
    {"constant", [](const Answer&) { return Bits{0x3f800000}; }},
    {"identity", [](const Answer& a) { return a.args[0]; }},
    {"second_result_off", [](const Answer& a) { return a.result == 1 ? Moved(a, kFar) : a.right; }},
    {"random_bit", [](const Answer& a) { return Moved(a, RandomBit()); }},
    {"ulp_off_every_other_launch", [](const Answer& a) { return Moved(a, a.launch & 1); }},
    {"ulp_off_in_lane", [](const Answer& a) { return Moved(a, a.lane == 3 ? 1 : 0); }},
};

}  // namespace

Bits Falsify(const Answer& answer) {
  Answer now = answer;
  for (const Fault& fault : kFaults) {
    if (Has(fault.word)) now.right = fault.answer(now);
  }
  return now.right;
}

bool Stores(const Answer& a) {
  const std::size_t vector = a.item / static_cast<std::size_t>(a.width);
  if (const auto width = PlaceOf("store_nothing")) {
    return !width->empty() && a.width != static_cast<int>(NumberOf("store_nothing", 0));
  }
  if (Has("store_first") && a.item != 0) return false;
  if (Has("store_last") && a.item + 1 != a.items) return false;
  if (Has("store_all_but_last") && a.item + 1 == a.items) return false;
  if (Has("store_even") && a.item % 2 != 0) return false;
  if (Has("store_first_lane") && a.lane != 0) return false;
  if (Has("store_one_group") && vector >= kWorkGroup) return false;
  if (Has("store_half") && a.item >= a.items / 2) return false;
  if (Has("store_first_result") && a.result != 0) return false;
  if (Has("store_one_launch") && a.launch != 0) return false;
  if (Has("lose_large_launches") && a.items > NumberOf("lose_large_launches", 1000)) return false;
  return true;
}

}  // namespace assay::hostile
