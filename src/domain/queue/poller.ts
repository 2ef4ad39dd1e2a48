export interface Poller {
  /** Calls `step` in this turn of the event loop, once however often it is woken. */
  wake(): void
  stop(): void
}

/** Calls `step` whenever it is woken, and at the latest at the time (of `performance.now()`) that it returned last. */
export function createPoller(step: () => number): Poller {
  let isWoken = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  function poll(): void {
    isWoken = false
    if (isStopped) return
    clearTimeout(timer)
    const waitMs = Math.max(1, step() - performance.now())
    if (Number.isFinite(waitMs)) timer = setTimeout(wake, waitMs).unref()
  }

  function wake(): void {
    if (isWoken) return
    isWoken = true
    setImmediate(poll)
  }

  return {
    wake,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
