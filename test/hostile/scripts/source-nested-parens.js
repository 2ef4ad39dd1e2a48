// Source of 256 KiB of parentheses that may each become parameters.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: '('.repeat(1.2e5) + 'a' + ')'.repeat(1.2e5) + '=>1'
