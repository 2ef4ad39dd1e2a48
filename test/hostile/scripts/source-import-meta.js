// What only a module has.
// ends: SYNTAX
// logs: []
// source: 'exit(import.meta.url)'
