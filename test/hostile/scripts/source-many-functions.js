// Source of 20,000 functions, each of which is called.
// ends: exit TIMEOUT MEMORY
// logs: []
// result: 20000
// source: 'let n=0;' + '(()=>n++)();'.repeat(2e4) + 'exit(n)'
