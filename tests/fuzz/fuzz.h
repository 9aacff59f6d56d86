/* A fuzz target is one file with this function. Under libFuzzer it is called without end; in a normal build main.c
 * runs it over the files and folders named on the command line, so that a crash can be repeated anywhere. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
