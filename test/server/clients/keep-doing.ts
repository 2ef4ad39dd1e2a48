import { onTestFinished } from 'vitest'

/**
 * Does a work over and over, `times` at once, until `stop` or until the test ends. `stop` waits for the works that have
 * begun, and throws what one of them threw.
 */
export function keepDoing(work: () => Promise<unknown>, times = 1): { stop(): Promise<void> } {
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  const loops = Promise.all(
    Array.from({ length: times }, async () => {
      while (!isOver) await work()
    }),
  )
  // A test that failed before `stop` has stopped its server too. That is no second failure.
  loops.catch(() => {})
  return {
    async stop() {
      isOver = true
      await loops
    },
  }
}
