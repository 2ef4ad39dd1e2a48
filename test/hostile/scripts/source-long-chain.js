// Source of 60,000 optional calls in a chain.
// ends: exit SYNTAX RUNTIME TIMEOUT MEMORY CRASHED
// logs: []
// result: "end"
// source: 'exit((null' + '?.()'.repeat(6e4) + ')??"end")'
