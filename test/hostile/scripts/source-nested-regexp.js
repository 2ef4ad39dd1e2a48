// Source that is one regular expression of 256 KiB of groups.
// ends: exit SYNTAX RUNTIME TIMEOUT MEMORY CRASHED
// logs: []
// source: 'exit(/' + '('.repeat(1.2e5) + ')'.repeat(1.2e5) + '/.test("x"))'
