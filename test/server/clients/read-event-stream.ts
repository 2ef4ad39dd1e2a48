/** An event of a stream of `text/event-stream`; comments are left out. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
}

/** Reads a stream of server-sent events, as they come, with at most one line of data each. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of body) {
    text += decoder.decode(part, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map(line => line.split(/: ?(.*)/s) as [string, string]))
      const event = fields.get('event')
      if (event !== undefined) yield { event, data: fields.get('data') ?? '' }
    }
  }
}
