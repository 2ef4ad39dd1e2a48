import { afterReading } from './after-reading.ts'

/** What ends a wait early. */
export interface Ending {
  /** Ends it with the reason of the signal. */
  readonly signal?: AbortSignal
  /** Ends it after this time with what `error` returns, unless the result had arrived by then. */
  readonly after?: { readonly ms: number; readonly error: () => unknown }
  /** Called in the same turn, before anything else can resolve the promise. */
  readonly onEnd?: () => void
}

/** Returns the result of the promise, or rejects if the wait ends before. The work itself goes on. */
export async function endBefore<T>(promise: Promise<T>, { signal, after, onEnd }: Ending): Promise<T> {
  const { promise: early, reject } = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    onEnd?.()
    reject(reason)
  }
  const onAbort = () => end(signal?.reason)
  const stopTimer = after && afterReading(after.ms, () => end(after.error()))
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, early])
  } finally {
    stopTimer?.()
    signal?.removeEventListener('abort', onAbort)
  }
}
