// Source of 256 KiB of calls that may each become an asynchronous function.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: 'async('.repeat(3e4) + ')'.repeat(3e4) + '=>1'
