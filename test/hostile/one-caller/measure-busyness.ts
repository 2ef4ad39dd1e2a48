const computedMs = 100

/**
 * How many times its processor time a busy piece of work takes here: about 1 where no other process wants the
 * processors.
 */
export function measureBusyness(): number {
  const startedAt = performance.now()
  const before = process.threadCpuUsage()
  for (let ms = 0; ms < computedMs; ) {
    const { user, system } = process.threadCpuUsage(before)
    ms = (user + system) / 1_000
  }
  return (performance.now() - startedAt) / computedMs
}
