// What an application has left when it ends.
#pragma once

namespace assay::driver {

// Both with the driver's lock held.

// Objects to which it holds references, and where it created them.
void TellLeaks();
// Commands that did not end.
void TellUnfinished();

}  // namespace assay::driver
