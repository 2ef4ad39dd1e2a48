// Source of 60,000 times `new`.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: 'new '.repeat(6e4) + 'Object'
