/**
 * Calls `act` after this time, unless the returned function is called before. What others had sent by then is read
 * first: a busy process can be late for both.
 */
export function afterReading(ms: number, act: () => void): () => void {
  let reading: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    reading = setImmediate(act)
  }, ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(reading)
  }
}
