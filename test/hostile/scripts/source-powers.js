// Source of 85,000 powers of powers.
// ends: exit SYNTAX RUNTIME TIMEOUT MEMORY CRASHED
// logs: []
// result: 1
// source: 'exit(1' + '**1'.repeat(8.5e4) + ')'
