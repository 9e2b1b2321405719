// An application for the tests of `assay exec`.  Each argument is something that it does, in this
// order.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testsuites/exec/driver.h"

static void Deeper(const char* rule) { TellCall(rule, "told by the test"); }

static void OnSignal(int number) {
  // Only a count: a signal that comes twice is seen.
  const char text[] = {'[', (char)('0' + number / 10), (char)('0' + number % 10), ']', '\n'};
  const ssize_t ignored = write(STDOUT_FILENO, text, sizeof text);
  (void)ignored;
}

// Waits for the signals of a few seconds; each shortens them.
static void Catch(void) {
  const int numbers[] = {SIGINT, SIGTERM, SIGUSR1, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) signal(numbers[i], OnSignal);
  printf("ready\n");
  fflush(stdout);
  for (int i = 0; i < 30; ++i) usleep(100000);
}

static void Fork(void) {
  const pid_t child = fork();
  if (child == 0) {
    Deeper("host-over-release");
    TellEnd();
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

// A process that nothing waits for but the one that adopts it.
static void Daemon(void) {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  usleep(500000);
  Deeper("host-over-release");
  TellEnd();
  _exit(0);
}

int main(int argc, char** argv) {
  int code = 0;
  for (int i = 1; i < argc; ++i) {
    const char* word = argv[i];
    if (strncmp(word, "call=", 5) == 0) Deeper(word + 5);
    if (strncmp(word, "kernel=", 7) == 0) TellKernel(word + 7);
    if (strncmp(word, "exit=", 5) == 0) code = atoi(word + 5);
    if (strncmp(word, "print=", 6) == 0) {
      printf("%s\n", word + 6);
      fflush(stdout);
    }
    if (strcmp(word, "fork") == 0) Fork();
    if (strcmp(word, "daemon") == 0) Daemon();
    if (strcmp(word, "catch") == 0) Catch();
    if (strcmp(word, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(word, "abort") == 0) abort();
    if (strcmp(word, "_exit") == 0) _exit(code);
    if (strcmp(word, "close") == 0) {
      for (int descriptor = 3; descriptor < 256; ++descriptor) close(descriptor);
    }
    if (strcmp(word, "cat") == 0) {
      for (int c = getchar(); c != EOF; c = getchar()) putchar(c);
    }
    if (strcmp(word, "exec") == 0) {
      fflush(stdout);
      execv("/proc/self/exe", (char*[]){argv[0], "call=host-svm-freed", "end", NULL});
    }
    if (strcmp(word, "environment") == 0) {
      const char* vendors = getenv("OCL_ICD_VENDORS");
      const char* files = getenv("OCL_ICD_FILENAMES");
      const char* seed = getenv("ASSAY_SEED");
      printf("vendors=%s files=%s seed=%s\n", vendors ? vendors : "", files ? files : "",
             seed ? seed : "");
    }
    if (strcmp(word, "end") == 0) TellEnd();
  }
  return code;
}
