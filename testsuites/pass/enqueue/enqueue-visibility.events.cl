// run: -g 4 -l 2 -a 'int[16]=0'
// Everything that orders two kernels: the end of a work-group, also for grandchildren; markers; user events; the
// completion of a kernel with its children.  Atomics need no order, and NO_WAIT no shared memory.
kernel void parent(global int* v) {
  const queue_t q = get_default_queue();
  const size_t id = get_global_id(0);
  v[id] = (int)id;
  if (get_local_id(0) == 0) {
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
      v[id] += v[id + 1];
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ v[id + 1] = v[id] * 2; });
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ atomic_add(&v[4], 1); });
  }
  if (id != 0) return;
  clk_event_t gate = create_user_event(), tree, mark;
  v[5] = 1;
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate, &tree, ^{
    v[5] += 1;
    for (int i = 0; i < 3; ++i)
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ v[6 + i] = v[5]; });
  });
  enqueue_marker(q, 1, &tree, &mark);
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3), 1, &mark, NULL,
                 ^{ v[9 + get_global_id(0)] = v[6 + get_global_id(0)]; });
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ v[15] = 1; });
  set_user_event_status(gate, CL_COMPLETE);
  release_event(gate);
  release_event(tree);
  release_event(mark);
}
