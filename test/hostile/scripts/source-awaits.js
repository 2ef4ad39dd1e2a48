// Source of 40,000 times `await` before one value.
// ends: exit SYNTAX RUNTIME TIMEOUT MEMORY CRASHED
// logs: []
// result: 1
// source: 'exit(' + 'await '.repeat(4e4) + '1)'
