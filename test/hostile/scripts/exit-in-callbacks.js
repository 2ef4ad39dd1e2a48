// An exit within callbacks of native code, all the way down.
// ends: exit
// result: "deep"
// logs: [["before"]]
log('before')
const steps = [
  next => [2, 1].sort(next),
  next => 'x'.replace(/x/, next),
  next => JSON.parse('1', next),
  next => JSON.stringify(1, next),
  next => Array.from([1], next),
  next => new Proxy({}, { get: next }).x,
  next => Reflect.construct(Object, [], Object.assign(() => {}, { prototype: next() })),
]
const down = level => () => (level === steps.length ? exit('deep') : steps[level](down(level + 1)))
try {
  down(0)()
} catch {
  log('caught')
}
exit('behind')
