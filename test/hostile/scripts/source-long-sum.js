// Source of 130,000 numbers added up.
// ends: exit SYNTAX RUNTIME TIMEOUT MEMORY CRASHED
// logs: []
// result: 130001
// source: 'exit(1' + '+1'.repeat(1.3e5) + ')'
