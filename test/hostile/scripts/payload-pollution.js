// A payload and options that would pollute prototypes.
// ends: exit
// payload: {"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}
// options: {"__proto__":{"x":1}}
// result: ["undefined","undefined",["__proto__","constructor"],"undefined"]
log('before')
const copy = { ...payload }
exit([typeof {}.x, typeof payload.x, Object.keys(payload), typeof Object.assign({}, options).nothing, copy].slice(0, 4))
