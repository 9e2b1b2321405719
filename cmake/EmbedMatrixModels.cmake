# cmake -DOUTPUT=FILE.cc -P EmbedMatrixModels.cmake MODEL.json...: the files as text (numerics/matrix/models_data.h).
set(entries)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
  set(argument "${CMAKE_ARGV${index}}")
  if(argument MATCHES "\\.json$")
    file(READ ${argument} text)
    cmake_path(GET argument STEM name)
    string(APPEND entries "    {\"${name}\", R\"json(${text})json\"},\n")
  endif()
endforeach()
file(WRITE ${OUTPUT} "#include \"numerics/matrix/models_data.h\"

namespace assay::numerics::matrix {
namespace {

constexpr ModelData kModels[] = {
${entries}    {\"\", \"\"}};

}  // namespace

const std::span<const ModelData> kModelData = kModels;

}  // namespace assay::numerics::matrix
")
