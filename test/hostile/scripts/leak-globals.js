// A world full of leavings: the next account's script finds its own.
// ends: exit
// next: exit([typeof leak, typeof {}.leak, typeof [].leak, (() => 1).leak ?? null, Object.getOwnPropertyNames(Symbol).length > 9, Symbol.for('leak').description.leak ?? null, RegExp.$1, RegExp.lastMatch, Error.stackTraceLimit])
// nextResult: ["undefined","undefined","undefined",null,true,null,"","",10]
log('before')
globalThis.leak = Object.prototype.leak = Array.prototype.leak = Function.prototype.leak = String.prototype.leak = 'LEAK'
Symbol.for('leak')
Error.stackTraceLimit = 1
;/(LEAK)/.exec('LEAK')
exit(1)
