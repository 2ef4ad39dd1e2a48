// A directive of the script's own makes its own code strict, and nothing else.
// ends: exit
// logs: []
// result: [true,false]
// source: '"use strict"; exit([(function () { return this })() === undefined, Function("return this")() === undefined])'
