// Quicksort by device-side enqueue.  A work-group splits a range around a pivot and enqueues one
// kernel for either side; a short range is sorted by a work-group in local memory.  The event of the
// first split completes when all that came of it has, so a last kernel that waits for it may look at
// the whole array.
#define SPLIT_ITEMS 32
#define SHORT 16

typedef struct {
  uint smaller[SPLIT_ITEMS];
  uint greater[SPLIT_ITEMS];
} tallies;

// Odd-even transposition: as many steps as there are elements.
void sort_short(global int *values, uint count, local int *tile) {
  const uint id = get_local_id(0);
  if (id < count) tile[id] = values[id];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 0; step < count; ++step) {
    const uint left = 2 * id + (step & 1);
    if (left + 1 < count && tile[left] > tile[left + 1]) {
      const int swapped = tile[left];
      tile[left] = tile[left + 1];
      tile[left + 1] = swapped;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id < count) values[id] = tile[id];
}

int median(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

void split(global int *data, global int *scratch, uint first, uint count, local tallies *tally,
           global uint *report);

void sort_range(global int *data, global int *scratch, uint first, uint count, global uint *report) {
  if (count < 2) return;
  int error;
  if (count <= SHORT) {
    void (^block)(local void *) = ^(local void *tile) {
      sort_short(data + first, count, (local int *)tile);
    };
    error = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(SHORT, SHORT),
                           block, (uint)(SHORT * sizeof(int)));
  } else {
    void (^block)(local void *) = ^(local void *tally) {
      split(data, scratch, first, count, (local tallies *)tally, report);
    };
    error = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,
                           ndrange_1D(SPLIT_ITEMS, SPLIT_ITEMS), block, (uint)sizeof(tallies));
  }
  if (error != CLK_SUCCESS) atomic_inc(&report[0]);
}

// Smaller ones to the left, greater ones to the right, equal ones between them.
void split(global int *data, global int *scratch, uint first, uint count, local tallies *tally,
           global uint *report) {
  const uint id = get_local_id(0);
  const int pivot = median(data[first], data[first + count / 2], data[first + count - 1]);
  uint smaller = 0, greater = 0;
  for (uint i = id; i < count; i += SPLIT_ITEMS) {
    smaller += data[first + i] < pivot;
    greater += data[first + i] > pivot;
  }
  tally->smaller[id] = smaller;
  tally->greater[id] = greater;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint left = 0, right = 0, all_smaller = 0, all_greater = 0;
  for (uint other = 0; other < SPLIT_ITEMS; ++other) {
    if (other < id) {
      left += tally->smaller[other];
      right += tally->greater[other];
    }
    all_smaller += tally->smaller[other];
    all_greater += tally->greater[other];
  }
  right += count - all_greater;
  for (uint i = id; i < count; i += SPLIT_ITEMS) {
    const int value = data[first + i];
    if (value < pivot) scratch[first + left++] = value;
    if (value > pivot) scratch[first + right++] = value;
  }
  for (uint i = all_smaller + id; i < count - all_greater; i += SPLIT_ITEMS) scratch[first + i] = pivot;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint i = id; i < count; i += SPLIT_ITEMS) data[first + i] = scratch[first + i];
  if (id == 0) {
    sort_range(data, scratch, first, all_smaller, report);
    sort_range(data, scratch, first + count - all_greater, all_greater, report);
  }
}

// report: enqueues that failed, neighbours in the wrong order, neighbours.
kernel void quicksort(global int *data, global int *scratch, uint count, global uint *report) {
  const queue_t queue = get_default_queue();
  clk_event_t sorted;
  void (^block)(local void *) = ^(local void *tally) {
    split(data, scratch, 0, count, (local tallies *)tally, report);
  };
  int error = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(SPLIT_ITEMS, SPLIT_ITEMS), 0,
                             NULL, &sorted, block, (uint)sizeof(tallies));
  if (error == CLK_SUCCESS) {
    error = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(count - 1), 1, &sorted, NULL, ^{
      const size_t i = get_global_id(0);
      if (data[i] > data[i + 1]) atomic_inc(&report[1]);
      atomic_inc(&report[2]);
    });
    release_event(sorted);
  }
  if (error != CLK_SUCCESS) atomic_inc(&report[0]);
}
