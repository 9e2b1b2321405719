// Pairs of work-items play ball: a packet goes to and fro through a mailbox in local memory, each player
// adding to it.  The turn is a relaxed atomic; separate fences order the packet.
typedef struct {
  uint rally;
  uint sum;
  uint4 trace;
} packet;

void wait_for_turn(local atomic_uint *turn, uint number) {
  while (atomic_load_explicit(turn, memory_order_relaxed, memory_scope_work_group) != number) {
  }
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
}

void pass_turn(local atomic_uint *turn, uint number) {
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
  atomic_store_explicit(turn, number, memory_order_relaxed, memory_scope_work_group);
}

kernel void ping_pong(global const uint *serve, global uint4 *trace_out, global uint2 *score_out,
                      uint rounds) {
  local packet mailbox[16];
  local atomic_uint turn[16];
  const uint lid = get_local_id(0);
  const uint pair = lid / 2;
  const uint player = lid % 2;

  if (player == 0) {
    mailbox[pair].rally = 0;
    mailbox[pair].sum = 0;
    mailbox[pair].trace = (uint4)(0);
    atomic_init(&turn[pair], 0);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);  // mailboxes are empty

  const uint mine = serve[get_global_id(0)];
  for (uint round = 0; round < rounds; ++round) {
    const uint now = 2 * round + player;
    wait_for_turn(&turn[pair], now);
    packet p = mailbox[pair];
    p.rally += 1;
    p.sum = p.sum * 3 + mine;
    p.trace = (uint4)(p.trace.yzw, p.sum);
    if (p.sum % 7 == 0) p.sum += 1;
    mailbox[pair] = p;
    pass_turn(&turn[pair], now + 1);
  }
  // Player 0 has to see the other's last stroke before it keeps the score.
  if (player == 0) {
    wait_for_turn(&turn[pair], 2 * rounds);
    const size_t at = get_group_id(0) * (get_local_size(0) / 2) + pair;
    trace_out[at] = mailbox[pair].trace;
    score_out[at] = (uint2)(mailbox[pair].rally, mailbox[pair].sum);
  }
}
