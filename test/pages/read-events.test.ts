import { expect, test } from 'vitest'
import { readEvents } from '../../src/pages/gateway/read-events.ts'

const text =
  ': hello\n\nevent: log\ndata: one\n\n\ndata: two\ndata: three\n\nevent: end\ndata: {}\n\ndata: cut'

const events = [
  { event: 'log', data: 'one' },
  { event: 'message', data: 'two\nthree' },
  { event: 'end', data: '{}' },
]

test.each([1, 2, 3, 5, 7, 11, 1_000])(
  'events in pieces of %i characters are read as they were sent',
  async size => {
    const count = Math.ceil(text.length / size)
    const pieces = Array.from({ length: count }, (_, at) => text.slice(at * size, (at + 1) * size))
    expect(await read(pieces)).toEqual(events)
  },
)

async function read(pieces: readonly string[]) {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(stream) {
      for (const piece of pieces) stream.enqueue(encoder.encode(piece))
      stream.close()
    },
  })
  return Array.fromAsync(readEvents(body))
}
