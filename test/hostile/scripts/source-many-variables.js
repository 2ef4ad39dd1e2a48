// Source of 30,000 variables that are all captured.
// ends: exit SYNTAX RUNTIME TIMEOUT MEMORY
// logs: []
// result: 30000
// source: 'let ' + Array.from({ length: 3e4 }, (_, i) => `a${i}`).join() + ';exit((()=>eval("30000"))())'
