// `super`, `new.target` and `return` of what is around the script.
// ends: exit NO_OUTCOME
// logs: [["undefined"]]
// source: 'log(typeof new.target)\nreturn "no way out"'
