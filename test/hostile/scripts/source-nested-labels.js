// Source of 20,000 labels on one statement.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED exit
// logs: []
// result: 1
// source: Array.from({ length: 2e4 }, (_, i) => `a${i}:`).join('') + ';exit(1)'
