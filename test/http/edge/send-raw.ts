import { connect } from 'node:net'

export interface RawExchange {
  /** All that the server sent until it closed the connection, or the time was over. */
  readonly text: string
  readonly closedAfterMs: number | null
}

interface RawRequest {
  readonly url: string
  /** Written one after another, each after its pause. */
  readonly writes: readonly string[]
  readonly pauseMs?: number
  readonly timeoutMs?: number
}

/** Speaks to the server in bytes, for what no HTTP client would send. */
export function sendRaw({ url, writes, pauseMs = 0, timeoutMs = 60_000 }: RawRequest): Promise<RawExchange> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const startedAt = performance.now()
    const socket = connect(Number(port), hostname)
    let text = ''
    let timer: NodeJS.Timeout | undefined
    const finish = (closed: boolean) => {
      clearTimeout(timer)
      clearInterval(writer)
      socket.destroy()
      resolve({ text, closedAfterMs: closed ? performance.now() - startedAt : null })
    }
    timer = setTimeout(() => finish(false), timeoutMs)
    const queue = [...writes]
    const writer = setInterval(() => {
      const next = queue.shift()
      if (next !== undefined && socket.writable) socket.write(next)
    }, pauseMs)
    socket.setEncoding('utf8')
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
  })
}
