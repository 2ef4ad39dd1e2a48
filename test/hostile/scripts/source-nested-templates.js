// Source of 256 KiB of templates in templates.
// ends: SYNTAX RUNTIME NO_OUTCOME TIMEOUT MEMORY CRASHED
// logs: []
// source: '`${'.repeat(6e4) + '1' + '}`'.repeat(3e4)
