// Source of 256 KiB of signs before one number.
// ends: exit SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// result: 1
// source: 'exit(' + '- '.repeat(1.3e5) + '1)'
