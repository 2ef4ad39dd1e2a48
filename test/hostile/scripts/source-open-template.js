// Source that leaves a template open.
// ends: SYNTAX
// logs: []
// source: 'exit(`${1'
