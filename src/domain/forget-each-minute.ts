const everyMs = 60_000

/**
 * Calls `forgetSome` each minute until it deletes nothing more, on any number of gateways. Returns a function that
 * stops it.
 */
export function forgetEachMinute(
  forgetSome: () => Promise<number>,
  onError: (error: unknown) => void,
): () => void {
  const timer = setInterval(() => forgetAll(forgetSome).catch(onError), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Calls `forgetSome`, which returns how many rows it deleted, until it deletes none. */
export async function forgetAll(forgetSome: () => Promise<number>): Promise<void> {
  while ((await forgetSome()) > 0);
}
