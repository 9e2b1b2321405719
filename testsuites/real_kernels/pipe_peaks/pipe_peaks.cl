// Peaks of a signal: one kernel finds them, another one rates them, and a pipe lies between the two.
// Each work-group reserves as many packets as it needs.

typedef struct {
  uint position;
  int height;
} peak_t;

kernel void find_peaks(global const int* signal, uint count, int threshold,
                       write_only pipe peak_t peaks, global uint* lost, local uint* places) {
  const uint i = get_global_id(0);
  const uint l = get_local_id(0);
  const uint n = get_local_size(0);
  bool is_peak = false;
  peak_t peak;
  peak.position = i;
  if (i > 0 && i + 1 < count) {
    const int here = signal[i];
    is_peak = here > threshold && here > signal[i - 1] && here >= signal[i + 1];
    peak.height = here;
  }
  // How many peaks there are up to here.
  places[l] = is_peak ? 1 : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < n; step *= 2) {
    const uint before = l >= step ? places[l - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);  // read
    places[l] += before;
    barrier(CLK_LOCAL_MEM_FENCE);  // written
  }
  const uint total = places[n - 1];
  if (total == 0) return;
  reserve_id_t id = work_group_reserve_write_pipe(peaks, total);
  if (!is_valid_reserve_id(id)) {
    if (l == 0) atomic_add(lost, total);
    return;
  }
  if (is_peak) write_pipe(peaks, id, places[l] - 1, &peak);
  work_group_commit_write_pipe(peaks, id);
}

// A group takes as many packets at a time as it has work-items, until there are none.
kernel void rate_peaks(read_only pipe peak_t peaks, global int* rating, global uint* classes,
                       local uint* wanted) {
  const uint l = get_local_id(0);
  const uint n = get_local_size(0);
  for (;;) {
    if (l == 0) *wanted = min(get_pipe_num_packets(peaks), n);
    barrier(CLK_LOCAL_MEM_FENCE);  // known
    const uint count = *wanted;
    barrier(CLK_LOCAL_MEM_FENCE);  // seen by all
    if (count == 0) return;
    reserve_id_t id = work_group_reserve_read_pipe(peaks, count);
    if (!is_valid_reserve_id(id)) continue;  // another group was faster
    if (l < count) {
      peak_t peak;
      read_pipe(peaks, id, l, &peak);
      rating[peak.position] = peak.height * 2 + 1;
      atomic_inc(&classes[min(peak.height / 128, 7)]);
    }
    work_group_commit_read_pipe(peaks, id);
  }
}
