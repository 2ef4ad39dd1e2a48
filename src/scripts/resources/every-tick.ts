export const tickMs = 20
const checks = new Set<(now: number) => void>()
let timer: NodeJS.Timeout | null = null

/**
 * Calls `check` with the time in milliseconds of `performance.now()` every 20 ms, until the returned function is
 * called. Everything that the sandboxes had sent by that time is read before the check, because a check may kill one.
 * Reading may take long, since requests are handled meanwhile, so the check itself can be later than its time. All
 * checks share one timer: most runs end before their first check, and a timer for each would cost more.
 */
export function everyTick(check: (now: number) => void): () => void {
  checks.add(check)
  timer ??= setInterval(() => setImmediate(tick, performance.now()), tickMs)
  return () => void checks.delete(check)
}

function tick(now: number): void {
  for (const check of checks) check(now)
  if (checks.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}
