// Source of 256 KiB of conditions in conditions.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: 'if(1)'.repeat(5e4) + ';'
