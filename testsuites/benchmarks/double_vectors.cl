// Angles and areas of triangles, in vectors of double.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void double_vectors(global const double4* corners, global double4* out) {
  const size_t i = get_global_id(0);
  const double3 a = corners[3 * i].xyz, b = corners[3 * i + 1].xyz, c = corners[3 * i + 2].xyz;
  const double3 normal = cross(b - a, c - a);
  const double cosine = dot(normalize(b - a), normalize(c - a));
  const double perimeter = distance(a, b) + distance(b, c) + distance(c, a);
  out[i] = (double4)(cosine, length(normal) / 2, perimeter, dot(normal, a));
}
