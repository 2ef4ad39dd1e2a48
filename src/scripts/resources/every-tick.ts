export const tickMs = 20
const checks = new Set<(now: number) => void>()
let timer: NodeJS.Timeout | null = null

/**
 * Calls `check` with the time in milliseconds of `performance.now()` every 20 ms, until the returned function is
 * called. Before each check, everything that the sandboxes had sent is read, because a check may kill one. All checks
 * share one timer: most runs end before their first check, and a timer for each would cost more.
 */
export function everyTick(check: (now: number) => void): () => void {
  checks.add(check)
  timer ??= setInterval(() => setImmediate(tick), tickMs)
  return () => void checks.delete(check)
}

function tick(): void {
  const now = performance.now()
  for (const check of checks) check(now)
  if (checks.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}
