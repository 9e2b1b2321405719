// five functions of the math library, in double and in float
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void double_functions(global const double *in, global double *out)
{
    const size_t i = get_global_id(0);
    const double x = in[i];
    out[i] = sin(x) + exp(x) + log(x) + pow(x, 1.5) + tgamma(x);
}

kernel void float_functions(global const float *in, global float *out)
{
    const size_t i = get_global_id(0);
    const float x = in[i];
    out[i] = sin(x) + exp(x) + log(x) + pow(x, 1.5f) + tgamma(x);
}
