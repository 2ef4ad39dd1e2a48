// Source that ends a list of parameters.
// ends: SYNTAX
// logs: []
// source: '){exit("out")}, function ('
