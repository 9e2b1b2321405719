// As fence_scopes_3_0.cl, by the rule of OpenCL 3.1: each scope includes the other work-item.
// run: -g 2 -l 2 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=9' --explore bounded:4 --cl-version 3.1
// due: nothing
#include "fence_scopes_3_0.cl"
