// Methods of a console that are not there, and those that are.
// ends: exit
// logs: [["a"],["b"],["c"],["d"],["e"]]
// result: ["undefined","undefined","undefined","undefined","undefined","undefined"]
console.log('a')
console.info('b')
console.warn('c')
console.error('d')
console.debug('e')
const absent = ['table', 'group', 'time', 'assert', 'trace', 'dir']
exit(absent.map(name => typeof console[name]))
