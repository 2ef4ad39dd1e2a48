// Source of 256 KiB of arrow functions in default values.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: '(a='.repeat(5e4) + '1' + ')=>1'.repeat(2e4)
