import { connect } from 'node:net'
import { takeAnswer, type WireAnswer } from './wire-answer.ts'

export interface ByteExchange {
  readonly answers: readonly WireAnswer[]
  /** What came after the last whole answer. */
  readonly rest: string
}

interface Bytes {
  readonly url: string
  readonly bytes: Buffer
  /** The number of answers to wait for. If unknown, a moment of silence is the end. */
  readonly expected: number | null
}

const patienceMs = 20_000
const silenceMs = 60

/**
 * Writes bytes on a connection of their own and reads what the server says. Half closed it is only then: to the gateway
 * that is a disconnected client, whose runs end without an answer.
 */
export async function sendBytes({ url, bytes, expected }: Bytes): Promise<ByteExchange> {
  const { hostname, port } = new URL(url)
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error('The connection was not closed in time.'))
    }, patienceMs)
    let silence = setTimeout(() => socket.end(), expected === null ? silenceMs : patienceMs / 2)
    socket.on('data', chunk => {
      chunks.push(Buffer.from(chunk))
      clearTimeout(silence)
      const isAll = expected !== null && takeAll(Buffer.concat(chunks)).answers.length >= expected
      silence = setTimeout(() => socket.end(), isAll || expected === null ? silenceMs : patienceMs / 2)
    })
    // The server may close before it has read all.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      clearTimeout(silence)
      resolve()
    })
    socket.write(bytes)
  })
  return takeAll(Buffer.concat(chunks))
}

function takeAll(bytes: Buffer): ByteExchange {
  const answers: WireAnswer[] = []
  for (let rest = bytes; ; ) {
    const taken = rest.length === 0 ? null : takeAnswer(rest, false, true)
    if (taken === null) return { answers, rest: rest.toString('latin1') }
    answers.push(taken.answer)
    rest = taken.rest
  }
}
