// A buffer that shrinks while it is sorted, filled, sliced and copied.
// ends: exit
// result: "survived"
log('before')
const shrinking = () => {
  const buffer = new ArrayBuffer(512, { maxByteLength: 1024 })
  const view = new Float64Array(buffer)
  let turn = 0
  return { buffer, view, shrink: () => (turn++ % 3 === 0 ? buffer.resize(8) : buffer.resize(1024)) }
}
for (let i = 0; i < 3; i++) {
  const { view, shrink, buffer } = shrinking()
  const value = { valueOf: () => (shrink(), 1) }
  const tries = [
    () => view.sort(() => (shrink(), -1)),
    () => view.fill(value, 0, 64),
    () => view.slice(value, 400),
    () => view.copyWithin(value, 3, 400),
    () => view.set([value, value, value], 1),
    () => view.subarray(value, 500).fill(1),
    () => view.with(2, value),
    () => view.lastIndexOf(1, value),
    () => new DataView(buffer, 8).setFloat64(value, 1),
    () => buffer.transfer({ valueOf: () => (shrink(), 64) }),
  ]
  for (const attempt of tries) {
    try {
      attempt()
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }
}
exit('survived')
