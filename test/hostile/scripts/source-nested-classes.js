// Source of 256 KiB of classes that extend classes.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: '(class extends '.repeat(1.5e4) + 'Object' + '{})'.repeat(1e4)
