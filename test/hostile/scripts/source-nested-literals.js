// Source of 256 KiB of objects in arrays in objects, which may be patterns to the last sign.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: '[{a:'.repeat(4e4) + '1' + '}]'.repeat(4e4) + '=1'
