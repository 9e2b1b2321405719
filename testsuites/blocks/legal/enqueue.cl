// The examples of the chapter on enqueuing kernels (OpenCL C 6.15.19), with bodies where it has dots.
void my_func_A(global int *a, global int *b, global int *c) {
  const size_t id = get_global_id(0);
  c[id] = a[id] + b[id];
}

void my_func_A_local_arg1(global int *a, local int *lptr) {
  const size_t lid = get_local_id(0), count = get_local_size(0);
  lptr[lid] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int other = lptr[count - 1 - lid];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = other;
}

void my_func_A_local_arg2(global int *a, local int *lptr1, local float4 *lptr2) {
  const size_t lid = get_local_id(0);
  lptr1[lid] = a[get_global_id(0)];
  lptr2[lid] = (float4)(lptr1[lid], 1.0f, 2.0f, 3.0f);
  const float4 sum = lptr2[lid];
  a[get_global_id(0)] = (int)(sum.x + sum.y + sum.z + sum.w);
}

// A block as it stands, a variable, and one that is declared and enqueued at once.
kernel void enqueues(global int *a, global int *b, global int *c) {
  ndrange_t ndrange = ndrange_1D(4);
  clk_event_t first, second;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange, 0, NULL, &first,
                 ^{ my_func_A(a, b, c); });
  void (^my_block_A)(void) = ^{ my_func_A(c, c, c); };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange, 1, &first, &second, my_block_A);
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange, 1, &second, NULL, ^{
    size_t id = get_global_id(0);
    c[id] += a[id];
  });
  release_event(first);
  release_event(second);
}

// Local memory: sizes that are computed, and blocks with names.
kernel void local_arguments(global int *a) {
  uint local_mem_size = (uint)(4 * sizeof(int));
  clk_event_t turned;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8, 4), 0, NULL, &turned,
                 ^(local void *p) { my_func_A_local_arg1(a, (local int *)p); }, local_mem_size);
  void (^my_blk_A)(local void *, local void *) = ^(local void *lptr1, local void *lptr2) {
    my_func_A_local_arg2(a, (local int *)lptr1, (local float4 *)lptr2);
  };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8, 4), 1, &turned, NULL,
                 my_blk_A, local_mem_size, local_mem_size * 4);
  release_event(turned);
}

// "A complete example": an iterative algorithm whose kernels enqueue each other.
void evaluate_dp_work_A(queue_t q, global int *data, global int *rounds, int count, int limit);

void dp_func_A(queue_t q, global int *data, global int *rounds, int count, int limit) {
  const size_t id = get_global_id(0);
  if (data[id] < limit) data[id] = 2 * data[id] + 1;
  if (id == 0) {
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                   ^{ evaluate_dp_work_A(q, data, rounds, count, limit); });
  }
}

void evaluate_dp_work_A(queue_t q, global int *data, global int *rounds, int count, int limit) {
  ++*rounds;
  bool more_work = false;
  for (int i = 0; i < count; ++i) more_work = more_work || data[i] < limit;
  if (more_work) {
    void (^dp_func_A_blk)(void) = ^{ dp_func_A(q, data, rounds, count, limit); };
    size_t local_work_size = get_kernel_work_group_size(dp_func_A_blk);
    local_work_size = min(local_work_size, (size_t)count);
    ndrange_t ndrange = ndrange_1D(count, local_work_size);
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange, dp_func_A_blk);
  }
}

kernel void iterate(queue_t q, global int *data, global int *rounds, int count, int limit) {
  dp_func_A(q, data, rounds, count, limit);
}

// Events between two queues.
kernel void two_queues(queue_t q0, queue_t q1, global int *x) {
  clk_event_t evt0;
  enqueue_kernel(q0, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &evt0, ^{ x[0] = 5; });
  enqueue_kernel(q1, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &evt0, NULL, ^{ x[0] = 3 * x[0] + 1; });
  release_event(evt0);
}

// A marker for two kernels that may run in any order.
kernel void with_marker(queue_t q, global int *x) {
  clk_event_t marker_event;
  clk_event_t events[2];
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &events[0], ^{ x[1] = 7; });
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &events[1], ^{ x[2] = 9; });
  enqueue_marker(q, 2, events, &marker_event);
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &marker_event, NULL,
                 ^{ x[3] = x[1] * 10 + x[2]; });
  release_event(events[0]);
  release_event(events[1]);
  release_event(marker_event);
}
