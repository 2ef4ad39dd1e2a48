// Ways out that are not there.
// ends: exit
// result: ["undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","rejected","rejected"]
log('before')
const gone = [typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics, typeof WeakRef, typeof FinalizationRegistry]
gone.push(typeof ShadowRealm, typeof gc, typeof (0, eval)('this.process'))
const modules = ['node:fs', 'data:text/javascript,export default 1']
for (const name of modules) gone.push(await import(name, { with: { type: 'json' } }).then(() => 'loaded', () => 'rejected'))
exit(gone)
