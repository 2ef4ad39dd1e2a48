/** An event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
}

const maxBusyMs = 20

/** Reads the events of a stream as they arrive. Comments are left out. `onText` is called for them too. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onText: () => void = () => {},
): AsyncGenerator<StreamEvent> {
  // The text of an event that has not ended. It is not searched again, because an event may come in many pieces.
  let rest = ''
  // A line end at the end of a piece. An event ends with two.
  let lineEnd = ''
  let since = performance.now()
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    onText()
    const given = lineEnd + text
    lineEnd = given.endsWith('\n') && !given.endsWith('\n\n') ? '\n' : ''
    const [first = '', ...others] = given.slice(0, given.length - lineEnd.length).split('\n\n')
    const blocks = [rest + first, ...others]
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readEvent(block)
      if (event !== null) yield event
      if (performance.now() - since < maxBusyMs) continue
      // Many events arrive at once. Keys and frames come in between.
      await new Promise(resolve => setTimeout(resolve))
      since = performance.now()
    }
  }
}

function readEvent(block: string): StreamEvent | null {
  const values = (name: string) =>
    block
      .split('\n')
      .filter(line => line.startsWith(`${name}:`))
      .map(line => line.slice(name.length + 1).trimStart())
  const data = values('data').join('\n')
  return data === '' ? null : { event: values('event')[0] ?? 'message', data }
}
