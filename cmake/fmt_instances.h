// fmt's formatting functions are templates of the output's type.  fmt_implementation.cc
// instantiates the one that all of assay ends in; without this declaration each file that calls
// fmt::format_to does so again, which is 400 functions.  Part of the precompiled headers; a file
// includes fmt/format.h and knows nothing of this.
#pragma once

#include <fmt/format.h>

#ifndef FMT_HEADER_ONLY
FMT_BEGIN_NAMESPACE
namespace detail {
extern template FMT_API void vformat_to(buffer<char>& out, string_view format,
                                        basic_format_args<FMT_BUFFER_CONTEXT(char)> args,
                                        locale_ref locale);
}  // namespace detail
FMT_END_NAMESPACE
#endif
