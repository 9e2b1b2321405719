// Sums in double of products of halves in memory and floats
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void mixed_precision(global const half *a, global const float *b, global double *out, int terms)
{
    const int i = get_global_id(0);
    double sum = 0;
    for (int k = 0; k < terms; ++k)
        sum = fma((double)vload_half(i * terms + k, a), (double)b[k], sum);
    out[i] = sqrt(sum * sum + 1.0) + (double)convert_float(sum);
}
