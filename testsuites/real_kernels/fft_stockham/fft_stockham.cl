// Stockham's FFT, radix 2, real and imaginary parts in arrays of their own: each launch is one stage and
// reads one pair of arrays and writes the other.  Autosort: no reversal of bits.
#pragma OPENCL FP_CONTRACT OFF

__kernel void stage(__global const float *re_in, __global const float *im_in,
                    __global float *re_out, __global float *im_out,
                    __constant float *cosine, __constant float *sine, const int n, const int p)
{
    const int i = get_global_id(0);
    const int half_n = n / 2;
    if (i >= half_n)
        return;

    const int k = i & (p - 1);
    const int j = ((i - k) << 1) + k;
    const int root = k * (half_n / p);
    const float c = cosine[root], s = sine[root];

    const float ar = re_in[i], ai = im_in[i];
    const float br = re_in[i + half_n], bi = im_in[i + half_n];
    const float tr = br * c - bi * s;
    const float ti = br * s + bi * c;
    re_out[j] = ar + tr;
    im_out[j] = ai + ti;
    re_out[j + p] = ar - tr;
    im_out[j + p] = ai - ti;
}
