// Short names for the atomic operations of OpenCL C 3.0, so that an algorithm reads like its paper.
// SCOPE is that of every operation; a weakened variant narrows it.
#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define ACQ_REL memory_order_acq_rel
#define SEQ_CST memory_order_seq_cst

#ifndef SCOPE
#define SCOPE memory_scope_device
#endif

#define LOAD(object, order) atomic_load_explicit(object, order, SCOPE)
#define STORE(object, value, order) atomic_store_explicit(object, value, order, SCOPE)
#define SWAP(object, value, order) atomic_exchange_explicit(object, value, order, SCOPE)
#define ADD(object, value, order) atomic_fetch_add_explicit(object, value, order, SCOPE)
#define SUB(object, value, order) atomic_fetch_sub_explicit(object, value, order, SCOPE)
#define MAX(object, value, order) atomic_fetch_max_explicit(object, value, order, SCOPE)
#define CAS(object, expected, desired, success, failure) \
  atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure, SCOPE)

// A fence of the order RELAXED has no effect (OpenCL API 3.3.5).
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, SCOPE)
