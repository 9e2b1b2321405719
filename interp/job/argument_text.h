// Parts of arguments as a command line writes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "interp/job/buffer_content.h"
#include "interp/job/job.h"

namespace assay::interp {

std::string_view Trimmed(std::string_view text);
std::vector<std::string> PartsOf(std::string_view text);  // "1, 2,3"; nothing at all has no parts
// "name(inside)"; false for anything else.
bool IsCall(std::string_view text, std::string_view name, std::string_view* inside);

// The text after the '=' of a buffer or of numbers of an image.  One number, or one for each
// component, fills what has a count. `others`: what else there is, for the message.
Expected<Initializer> ParseInitializer(std::size_t components, bool is_counted,
                                       std::string_view text, std::string_view others);

// A file of data: it is added to the job's, and a report may name only some.
Expected<std::string> DataFile(Job* job, std::string_view path);

// The buffer or image at this place among the last launch's arguments; null: there is none.
const JobBufferUse* EarlierArgument(const Job& job, std::string_view place);
std::string NextArgument(const Job& job);  // the place of the next one

// "image2d(640x480,RGBA,UNORM_INT8)=png(in.png)", "image2d=png(in.png)", "image(0)",
// "image1d_buffer(64,R,FLOAT)=buffer(0)".
Expected<JobArgument> ParseImageArgument(std::string_view text, Job* job);
// "sampler(clamp_to_edge,linear,normalized)".
Expected<JobArgument> ParseSamplerArgument(std::string_view text);

}  // namespace assay::interp
