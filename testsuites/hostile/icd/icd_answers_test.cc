// What the driver stores, and where: wrong answers, none, and those of another launch.
#include "testsuites/hostile/icd/icd_testing.h"

namespace assay::hostile {
namespace {

class HostileAnswers : public HostileDriverTest {};
TEST_P(HostileAnswers, AreJudged) { Check(GetParam()); }

const std::string kNotWritten = "first: not written";
const std::string kOver = "first: error over the limit";
const std::string kGuard = "does not hold what was written there";

const Case kNothingStored[] = {
    {"StoresNothing", "store_nothing", VALIDATE("exp,floor"), 1, {kNotWritten, "2 fail"}},
    {"StoresNothingInOneWidth", "store_nothing@4", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresNothingInTheLastWidth", "store_nothing@16", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresNothingAtAGpu", "gpu,store_nothing", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresNothingOfAConversion",
     "store_nothing",
     VALIDATE("convert_uchar_sat"),
     1,
     {kNotWritten}},
    {"StoresNothingOfVstoreHalf", "store_nothing", VALIDATE("vstore_half_rte"), 1, {kNotWritten}},
    {"StoresTheFirstItem", "store_first", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresTheLastItem", "store_last", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresAllButTheLastItem", "store_all_but_last", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresEverySecondItem", "store_even", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresTheFirstLane", "store_first_lane", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresOneWorkGroup", "store_one_group", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresOneWorkGroupAtAGpu", "gpu,store_one_group", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresHalfOfALaunch", "store_half", VALIDATE("exp"), 1, {kNotWritten}},
    {"StoresTheFirstResult", "store_first_result", VALIDATE("sincos"), 1, {kNotWritten}},
    {"StoresAtTheFirstLaunch", "store_one_launch", VALIDATE("exp"), 1, {kNotWritten}},
    {"LosesLargeLaunches", "lose_large_launches", VALIDATE("exp"), 1, {kNotWritten}},
    {"LosesEveryLaunch", "launch_nothing", VALIDATE("exp"), 1, {kNotWritten}},
    {"ReadsNothingBack", "gpu,read_nothing", VALIDATE("exp"), 4, {kGuard}},
    {"ReadsHalfBack", "gpu,read_half", VALIDATE("exp"), 4, {kGuard}},
    {"ReadsZerosBack", "gpu,read_zeros", VALIDATE("exp"), 4, {kGuard}},
    {"ReadsBeforeTheKernelRan", "gpu,deferred,read_early", VALIDATE("exp"), 4, {kGuard}},
    {"FinishesBeforeTheKernelRan", "gpu,deferred,finish_early", VALIDATE("exp"), 4, {kGuard}},
    {"HostMemoryStaysStale", "own_memory,map_stale", VALIDATE("exp"), 1, {kNotWritten}},
};
INSTANTIATE_TEST_SUITE_P(Stores, HostileAnswers, testing::ValuesIn(kNothingStored), NameOf);

const Case kWrongPlaces[] = {
    {"IgnoresWhereToBegin",
     "ignore_first",
     VALIDATE("exp"),
     4,
     {kGuard, "stored where it must not"}},
    {"StoresOneItemFurther", "shift_stores", VALIDATE("exp"), 1, {"exp float"}},
    {"StoresWhatTheLaunchBeforeComputed", "previous_launch", VALIDATE("exp"), 1, {"exp float"}},
    {"SwapsItsBuffers", "swap_buffers", VALIDATE("exp"), 4, {"0 pass"}},
    {"KeepsTheFirstArguments", "stale_args", VALIDATE("exp"), 1, {kNotWritten}},
    {"WritesBeforeItsResults",
     "gpu,write_before",
     VALIDATE("exp"),
     4,
     {"the memory before result 1"}},
    {"WritesBehindItsResults",
     "gpu,write_behind",
     VALIDATE("exp"),
     4,
     {"the memory behind result 1"}},
    {"WritesOneByteBefore", "gpu,write_byte_before", VALIDATE("exp"), 4, {"the memory before"}},
    {"WritesOneByteBehind", "gpu,write_byte_behind", VALIDATE("exp"), 4, {"the memory behind"}},
    {"WritesBehindInPlace",
     "large_only,write_behind",
     VALIDATE("exp"),
     4,
     {"stored behind its results"}},
    {"WritesOneByteBehindInPlace",
     "large_only,write_byte_behind",
     VALIDATE("exp"),
     4,
     {"stored behind its"}},
    {"WritesBeforeInPlace", "large_only,write_before", VALIDATE("exp"), 4, {"0 pass"}},
    {"WritesOneByteBeforeInPlace", "large_only,write_byte_before", VALIDATE("exp"), 4, {"0 pass"}},
    {"ClearsItsInputs", "gpu,write_inputs", VALIDATE("exp"), 4, {"operand 1 does not hold"}},
    {"ChangesOneInput", "gpu,write_first_input", VALIDATE("exp"), 4, {"operand 1 does not hold"}},
    {"ClearsItsInputsInPlace", "large_only,write_inputs", VALIDATE("exp"), 4, {"0 pass"}},
    {"ChangesOneInputInPlace", "large_only,write_first_input", VALIDATE("exp"), 4, {"0 pass"}},
    {"LosesEveryWrite", "gpu,lose_writes", VALIDATE("exp"), 4, {kGuard}},
    {"LosesTheWriteOfAnInput",
     "gpu,lose_one_write@1",
     VALIDATE("exp"),
     4,
     {"operand 1 does not hold"}},
    {"LosesTheWriteOfAGuard",
     "gpu,lose_one_write@2",
     VALIDATE("exp"),
     4,
     {"the memory before result 1"}},
    {"ReadsWhatTheReadBeforeGave", "gpu,read_previous", VALIDATE("exp"), 4, {kGuard}},
    {"MapsOtherMemory", "own_memory,map_elsewhere", VALIDATE("exp"), 4, {"to another address"}},
    {"MapsNothing", "map_null", VALIDATE("exp"), 4, {"to another address"}},
};
INSTANTIATE_TEST_SUITE_P(Places, HostileAnswers, testing::ValuesIn(kWrongPlaces), NameOf);

const Case kWrongAnswers[] = {
    {"OneUlpOff", "ulp_off", VALIDATE("add"), 1, {kOver}},
    {"OneUlpOffAtOneInput", "ulp_off_at_one", VALIDATE("floor"), 1, {kOver, "--at 0x3f800000"}},
    {"FarOff", "far_off", VALIDATE("exp"), 1, {kOver}},
    {"FarOffAtOneInput", "far_off_at_one", VALIDATE("exp"), 1, {kOver, "--at 0x3f800000"}},
    {"FarOffInOneLane", "far_off_in_lane@3", VALIDATE("exp"), 1, {kOver}},
    {"FarOffInTheLastLane", "far_off_in_lane@15", VALIDATE("exp"), 1, {kOver}},
    {"FarOffInOneWidth", "far_off_in_width@8", VALIDATE("exp"), 1, {kOver}},
    {"FarOffAtTheEnd", "far_off_at_the_end", VALIDATE("exp"), 1, {kOver}},
    {"FarOffFromTheFourthLaunchOn", "far_off_later@3", VALIDATE("exp"), 1, {kOver}},
    {"NanForInfinity", "nan_for_infinity", VALIDATE("exp"), 1, {"exp float"}},
    {"TheLargestNumberForInfinity", "largest_for_infinity", VALIDATE("exp"), 1, {"exp float"}},
    {"ZeroForNan", "zero_for_nan", VALIDATE("sqrt"), 1, {"sqrt float"}},
    {"PlusZeroForMinusZero", "plus_zero", VALIDATE("floor"), 1, {"floor float"}},
    {"NoSigns", "sign_lost", VALIDATE("sin"), 1, {"sin float"}},
    {"EightBitsLess", "low_bits_lost", VALIDATE("exp"), 1, {kOver}},
    {"AlwaysOne", "constant", VALIDATE("exp"), 1, {"exp float"}},
    {"TheOperand", "identity", VALIDATE("exp"), 1, {"exp float"}},
    {"TheSecondResultIsOff", "second_result_off", VALIDATE("sincos"), 1, {kOver}},
    {"FlushesThoughItDeclaresSubnormals", "flush_results", VALIDATE("mul"), 1, {"mul float"}},
    {"FlushesOperandsThoughItDeclaresSubnormals", "flush_operands", VALIDATE("sqrt"), 1, {"sqrt"}},
    {"RoundsToZeroAndSaysSo", "rounds_to_zero", VALIDATE("add") " --rounding rte", 1, {kOver}},
    {"FarOffInAConversion", "far_off", VALIDATE("convert_int_rte"), 1, {"convert_int_rte float"}},
    {"OneUlpOffInEveryOtherLaunch", "ulp_off_every_other_launch", VALIDATE("add"), 1, {kOver}},
    {"AnswersAtRandom", "random_bit", VALIDATE("sin"), 0, {"not deterministic"}},
    {"AnswersByTheLane", "ulp_off_in_lane", VALIDATE("sin"), 0, {"not deterministic"}},
    {"AnswersByTheLaunch", "ulp_off_every_other_launch", VALIDATE("sin"), 0, {"not deterministic"}},
};
INSTANTIATE_TEST_SUITE_P(Wrong, HostileAnswers, testing::ValuesIn(kWrongAnswers), NameOf);

// Correct, and not what one meets every day.
const std::string kAllPass = "0 fail, 0 unsupported, 0 not measured";
#define EVERYTHING \
  VALIDATE("exp,sin,add,mul,div,fma,sincos,frexp,ldexp,floor,convert_int_sat_rte,vstore_half_rtz")

const Case kCorrect[] = {
    {"Plain", "", EVERYTHING, 0, {kAllPass}},
    {"WithMemoryOfItsOwn", "gpu", EVERYTHING, 0, {kAllPass}},
    {"RunsNothingBeforeTheHostWaits", "deferred", EVERYTHING, 0, {kAllPass}},
    {"RunsNothingBeforeTheHostWaitsAtAGpu", "gpu,deferred", EVERYTHING, 0, {kAllPass}},
    {"CopiesHostMemory", "own_memory", EVERYTHING, 0, {kAllPass}},
    {"CopiesHostMemoryLate", "own_memory,deferred", EVERYTHING, 0, {kAllPass}},
    {"StoresBackwards", "backwards", EVERYTHING, 0, {kAllPass}},
    {"EmbeddedProfile", "embedded", EVERYTHING, 0, {kAllPass}},
    {"EmbeddedProfileThatRoundsToZero", "embedded,rounds_to_zero", EVERYTHING, 0, {kAllPass}},
    {"FlushesResultsAsDeclared",
     "no_denormals,flush_results",
     VALIDATE("exp,sin,add,mul,div,fma,sincos,frexp,floor"),
     0,
     {kAllPass}},
    {"FlushesAsDeclared",
     "no_denormals,flush_operands,flush_results",
     VALIDATE("exp,add,mul,sqrt"),
     0,
     {kAllPass}},
    {"DeclaresNoSubnormalsAndKeepsThem", "no_denormals", EVERYTHING, 0, {kAllPass}},
    {"Double",
     "no_denormals",
     "validate --wide --opencl Hostile --functions exp,sqrt --formats double",
     0,
     {kAllPass}},
    {"Half",
     "gpu",
     "validate --wide --opencl Hostile --functions exp,sqrt --formats half",
     0,
     {kAllPass}},
    {"OneUlpOffWithinTheLimit", "ulp_off", VALIDATE("sin"), 0, {kAllPass}},
    {"Slow", "sleep@launch", VALIDATE("exp"), 0, {kAllPass}},
    {"HasNoDouble", "no_double", VALIDATE("exp"), 0, {kAllPass}},
};
INSTANTIATE_TEST_SUITE_P(Correct, HostileAnswers, testing::ValuesIn(kCorrect), NameOf);

}  // namespace
}  // namespace assay::hostile
