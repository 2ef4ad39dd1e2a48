const hourMs = 3_600_000

/** Returns a function that does the work if it has not begun within the last hour. */
export function atMostHourly(work: () => Promise<void>): () => Promise<void> {
  let beganAt = Number.NEGATIVE_INFINITY
  return async () => {
    const now = performance.now()
    if (now - beganAt < hourMs) return
    beganAt = now
    await work()
  }
}
