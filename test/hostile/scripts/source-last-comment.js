// Source that ends in a comment without a line's end.
// ends: exit
// logs: []
// result: 1
// source: 'exit(1) // and nothing'
