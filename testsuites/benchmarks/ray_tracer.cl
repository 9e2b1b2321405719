// (l) four spheres over a plane, one shadow ray a pixel: float3, dot, normalize, sqrt, sin
float sphere(float3 origin, float3 direction, float4 s)
{
    const float3 to = origin - s.xyz;
    const float b = dot(to, direction), c = dot(to, to) - s.w * s.w, d = b * b - c;
    if (d < 0)
        return 1e30f;
    const float root = sqrt(d), near = -b - root, far = -b + root;
    return near > 1e-3f ? near : far > 1e-3f ? far : 1e30f;
}

kernel void ray_tracer(int width, int height, constant float4 *spheres, global float4 *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float3 eye = (float3)(0, 1, -4), light = normalize((float3)(-3, 5, -2));
    const float3 ray = normalize((float3)((x + 0.5f) / width * 2 - 1, 1 - (y + 0.5f) / height * 2, 1.5f));
    float best = ray.y < 0 ? -eye.y / ray.y : 1e30f;
    int hit = -1;
    for (int i = 0; i < 4; ++i) {
        const float t = sphere(eye, ray, spheres[i]);
        if (t < best) {
            best = t;
            hit = i;
        }
    }
    float3 colour = (float3)(0.4f, 0.6f, 0.9f) * (0.5f + 0.5f * ray.y);
    if (best < 1e29f) {
        const float3 at = eye + best * ray;
        const float3 normal = hit < 0 ? (float3)(0, 1, 0) : normalize(at - spheres[hit].xyz);
        const float stripes = hit < 0 ? 0.5f + 0.5f * sin(4 * at.x) * sin(4 * at.z) : 1.0f;
        float lit = max(dot(normal, light), 0.0f);
        for (int i = 0; i < 4; ++i)
            if (sphere(at + 1e-3f * normal, light, spheres[i]) < 1e29f)
                lit = 0;
        colour = (0.2f + 0.8f * lit) * stripes * (float3)(0.9f, 0.5f + 0.1f * hit, 0.3f);
    }
    out[y * width + x] = (float4)(colour, length(colour));
}
