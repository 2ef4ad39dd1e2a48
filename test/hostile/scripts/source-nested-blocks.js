// Source of 256 KiB of blocks.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: '{'.repeat(1.3e5) + '}'.repeat(1.3e5)
