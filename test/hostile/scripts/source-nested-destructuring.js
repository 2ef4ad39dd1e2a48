// Source of 256 KiB of patterns in patterns.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: 'let ' + '{a:'.repeat(6e4) + 'b' + '}'.repeat(6e4) + '=1'
