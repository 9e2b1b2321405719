// How an argument is written, as help and messages show it.
#pragma once

namespace assay::interp {

// Lines of at most 78 columns.
inline constexpr const char* kArgumentForms =
    "    float[1024]=0                 a buffer; =1,2,3 gives each element\n"
    "    float[1024]=range(0,1)        0, 1, 2, ...: START,STEP\n"
    "    float[1024]=random            also random(SEED) and random(SEED,MIN,MAX)\n"
    "    uint[]=file(data.bin)         the bytes of a file\n"
    "    uchar[8]=uninitialized        a buffer that nothing has written\n"
    "    float=2.5  int4=1,2,3,4       a value; bytes(00ff) for a structure\n"
    "    local(256)                    so many bytes of local memory\n"
    "    buffer(0)  image(0)  null     that of an earlier argument; none\n"
    "    image2d(64x64,RGBA,UNORM_INT8)=0  image2d=png(in.png)\n"
    "    sampler(clamp_to_edge,linear,normalized)  pipe(int4,64)  queue\n";

}  // namespace assay::interp
