// Threads that this process keeps for work that comes again and again from anywhere, such as a
// kernel's launches: starting sixteen threads takes half a millisecond.
#pragma once

#include <functional>

namespace assay::base {

// As RunOnThreads (base/threads.h), on threads that stay.  While another thread has them, or in a
// process that was forked from theirs, new threads are started.
void RunOnKeptThreads(int threads, const std::function<void(int thread)>& work);

}  // namespace assay::base
