// A NUL between two statements.
// ends: SYNTAX
// logs: []
// source: 'log(1)\u0000;exit(2)'
