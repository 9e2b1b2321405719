// What the test programs of `assay exec` call: a library that tells the log as the driver does.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// A call of the API that breaks a rule: "host-over-release".
void TellCall(const char* rule, const char* message);
// A launch whose kernel reads through a null pointer.
void TellKernel(const char* kernel);
// The process ends in order.
void TellEnd(void);

#ifdef __cplusplus
}
#endif
