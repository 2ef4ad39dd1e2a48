// A gateway sends a comment every 12 s to 15 s. If nothing comes for longer, the connection is lost, although no end of
// it arrived: the machine, the network or a proxy forgot it.
const stepMs = 15_000
const maxSilentSteps = 6

/** How long a gateway may send nothing, in seconds. */
export const maxSilentSeconds = (stepMs * maxSilentSteps) / 1_000

/** Returns the same stream, which ends early once nothing arrives for a while. */
export function endSilent(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  return new ReadableStream({
    // Called only when more is wanted, so the time in which what arrived is handled does not count.
    async pull(stream) {
      const stopCounting = countSilence(() => void reader.cancel().catch(() => {}))
      try {
        const { done, value } = await reader.read()
        if (done) stream.close()
        else stream.enqueue(value)
      } finally {
        stopCounting()
      }
    },
    cancel: reason => reader.cancel(reason),
  })
}

/**
 * Calls `end` once a gateway was silent for too long. Returns a function that stops the count. While this process is
 * stopped, as by Ctrl-Z, or its machine sleeps, no steps are counted. It then reads what arrived meanwhile before the
 * next step.
 */
export function countSilence(end: () => void): () => void {
  let steps = 0
  const timer = setInterval(() => {
    steps += 1
    if (steps === maxSilentSteps) end()
  }, stepMs)
  return () => clearInterval(timer)
}
