// Source of 256 KiB of functions in functions.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: 'function f(){'.repeat(1.8e4) + '}'.repeat(1.8e4)
