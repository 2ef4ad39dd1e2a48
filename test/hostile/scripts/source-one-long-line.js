// Source of one string of 256 KiB of escapes.
// ends: exit
// logs: []
// result: 43000
// source: 'exit("' + '\\u0001'.repeat(43e3) + '".length)'
