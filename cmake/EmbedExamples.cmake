# Writes OUTPUT, a C++ file with the text of each of testsuites/fail and testsuites/pass under ROOT:
# what `assay explain` shows are the kernels that the tests run, and what they expect.
file(GLOB_RECURSE examples RELATIVE ${ROOT} ${ROOT}/fail/*.cl ${ROOT}/fail/*.spvasm
     ${ROOT}/fail/*.expected ${ROOT}/pass/*.cl ${ROOT}/pass/*.spvasm ${ROOT}/host/fail/*.c
     ${ROOT}/host/fail/*.expected ${ROOT}/host/pass/*.c)
list(SORT examples)
set(text "// Made by cmake/EmbedExamples.cmake.\n#include \"tools/kernels/rule_examples.h\"\n\n")
string(APPEND text "namespace assay::tools {\nnamespace {\nconstexpr RuleExample kExamples[] = {\n")
# So that the array is never empty.
string(APPEND text "    {\"\", \"\"},\n")
foreach(example IN LISTS examples)
  file(READ ${ROOT}/${example} content)
  string(APPEND text "    {\"${example}\", R\"example(${content})example\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\n\n")
string(APPEND text "std::span<const RuleExample> RuleExamples() { return std::span(kExamples).subspan(1); }\n")
string(APPEND text "}  // namespace assay::tools\n")
file(WRITE ${OUTPUT} "${text}")
