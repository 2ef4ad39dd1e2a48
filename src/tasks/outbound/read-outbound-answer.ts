import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { JsonScanner } from '../../json/scanner.ts'
import { OutboundRefusal } from './outbound-address.ts'

const pieceBytes = 2 ** 15
const jsonType = /^(application|text)\/([\w.!#$&^-]+\+)?json\s*(;|$)/i

export interface AnswerReading {
  readonly mostBytes: number
  /** Told how much of the body has been read so far. */
  readonly onRead: (bytes: number) => void
}

/** The JSON text of an answer, checked before it is read and while it comes; anything else is an `OutboundRefusal`. */
export async function readOutboundAnswer(
  answer: Dispatcher.ResponseData,
  reading: AnswerReading,
): Promise<string> {
  const { statusCode, headers, body } = answer
  body.on('error', () => undefined)
  if (statusCode >= 300 && statusCode < 400) throw new OutboundRefusal('redirects are not followed')
  if (statusCode < 200 || statusCode > 299) throw new OutboundRefusal(`the host answered ${statusCode}`)
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new OutboundRefusal('the answer is compressed, which was not asked for')
  }
  // A host that does not say what it sends is judged by what it sends.
  if (!jsonType.test(String(headers['content-type'] ?? 'application/json'))) throw notJson()
  return decode(await readJson(body, reading))
}

// The bytes are copied, as each chunk is an object of its own, and a host may send them one by one.
async function readJson(body: AsyncIterable<Buffer>, { mostBytes, onRead }: AnswerReading): Promise<Buffer> {
  const scanner = new JsonScanner()
  let read = Buffer.allocUnsafe(Math.min(mostBytes, 2 ** 14))
  let bytes = 0
  for await (const chunk of body) {
    const needed = bytes + chunk.length
    if (needed > mostBytes) throw new OutboundRefusal(`the answer has more than ${mostBytes} bytes`)
    onRead(needed)
    if (!(await scan(chunk, scanner))) throw notJson()
    if (needed > read.length) {
      const larger = Buffer.allocUnsafe(Math.min(mostBytes, Math.max(needed, 2 * read.length)))
      read.copy(larger, 0, 0, bytes)
      read = larger
    }
    chunk.copy(read, bytes)
    bytes = needed
  }
  if (!scanner.end()) throw notJson()
  return read.subarray(0, bytes)
}

// In pieces, with everybody else's turn between them.
async function scan(chunk: Buffer, scanner: JsonScanner): Promise<boolean> {
  for (let at = 0; at < chunk.length; at += pieceBytes) {
    if (!scanner.write(chunk.subarray(at, at + pieceBytes))) return false
    if (at + pieceBytes < chunk.length) await nextTurn()
  }
  return true
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notJson()
  }
}

function notJson(): OutboundRefusal {
  return new OutboundRefusal('the answer is not JSON')
}
