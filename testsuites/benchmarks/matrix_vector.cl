// (ac) a row of the matrix a work-item, read as float4: lines that are far apart
kernel void matrix_vector(int n, global const float4 *a, global const float4 *x, global float *out)
{
    const int row = get_global_id(0);
    float4 sum = 0;
    for (int k = 0; k < n / 4; ++k)
        sum += a[row * (n / 4) + k] * x[k];
    out[row] = (sum.x + sum.y) + (sum.z + sum.w);
}
