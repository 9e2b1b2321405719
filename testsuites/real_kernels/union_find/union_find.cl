// Connected components of a graph with a lock-free union-find.  Roots point at themselves; the root with the
// larger number is hung under the smaller, so in the end every root is its component's smallest vertex.
// All accesses to `parent` are atomic, relaxed: they order nothing, but they are no race.
uint load(global atomic_uint *p) {
  return atomic_load_explicit(p, memory_order_relaxed, memory_scope_device);
}

uint find(global atomic_uint *parent, uint v) {
  uint p = load(&parent[v]);
  while (p != v) {
    const uint grand = load(&parent[p]);
    // Path halving; it does not matter if another was faster.
    if (grand != p) {
      uint expected = p;
      atomic_compare_exchange_strong_explicit(&parent[v], &expected, grand, memory_order_relaxed,
                                              memory_order_relaxed, memory_scope_device);
    }
    v = p;
    p = grand;
  }
  return v;
}

kernel void unite(global const uint2 *edges, uint count, global atomic_uint *parent) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  uint a = find(parent, edges[e].x);
  uint b = find(parent, edges[e].y);
  while (a != b) {
    const uint low = min(a, b);
    uint high = max(a, b);
    if (atomic_compare_exchange_strong_explicit(&parent[high], &high, low, memory_order_relaxed,
                                                memory_order_relaxed, memory_scope_device)) {
      break;
    }
    // It is no root any more: go on from what it points at.
    a = find(parent, low);
    b = find(parent, high);
  }
}

kernel void flatten(global atomic_uint *parent, uint vertices, global uint *component,
                    global atomic_uint *size) {
  const uint v = get_global_id(0);
  if (v >= vertices) return;
  const uint root = find(parent, v);
  component[v] = root;
  atomic_fetch_add_explicit(&size[root], 1u, memory_order_relaxed, memory_scope_device);
}
