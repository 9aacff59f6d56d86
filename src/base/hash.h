/* A fast hash of bytes, for tables and for telling whether something has changed; not for secrets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Goes on from another hash. Inputs of one length that differ in one aligned word of eight bytes alone never have the same. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n);
