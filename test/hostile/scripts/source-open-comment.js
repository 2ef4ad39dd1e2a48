// Source that leaves a comment open, to swallow what comes after it.
// ends: SYNTAX
// logs: []
// place: 2:1
// source: 'log(1)\n/*/'
