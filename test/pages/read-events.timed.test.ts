import { expect, test } from 'vitest'
import { readEvents } from '../../src/pages/gateway/read-events.ts'

test('the time to read an event of 8 MB, which comes in 4,000 pieces, is in proportion to its length', async () => {
  const encoder = new TextEncoder()
  let pieces = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(stream) {
      const text = pieces === 0 ? 'data: ' : 'x'.repeat(2_000)
      stream.enqueue(encoder.encode(pieces > 4_000 ? '\n\n' : text))
      if (pieces > 4_000) stream.close()
      pieces += 1
    },
  })
  const began = process.cpuUsage()
  const [event] = await Array.fromAsync(readEvents(body))
  const { user, system } = process.cpuUsage(began)
  expect(event?.data).toHaveLength(8_000_000)
  expect((user + system) / 1_000).toBeLessThan(2_500)
})
