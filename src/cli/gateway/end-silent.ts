// A gateway sends a comment every 12 s to 15 s. If nothing comes for longer, the connection is lost, although no end of
// it arrived: the machine, the network or a proxy forgot it.
const maxSilentMs = 90_000

/** Returns the same stream, which ends early once nothing arrives for a while. */
export function endSilent(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  return new ReadableStream({
    // Called only when more is wanted, so the time in which what arrived is handled does not count.
    async pull(stream) {
      const timer = setTimeout(() => void reader.cancel().catch(() => {}), maxSilentMs)
      try {
        const { done, value } = await reader.read()
        if (done) stream.close()
        else stream.enqueue(value)
      } finally {
        clearTimeout(timer)
      }
    },
    cancel: reason => reader.cancel(reason),
  })
}
