// refused: too few arguments to function call
// The first example of the page lacks the flags.
kernel void k(global int *x) { enqueue_kernel(get_default_queue(), ndrange_1D(1), ^{ *x = 1; }); }
