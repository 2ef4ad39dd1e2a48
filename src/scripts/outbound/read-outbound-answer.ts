import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { isJsonType } from '../../json/json-text.ts'
import { JsonScanner } from '../../json/scanner.ts'
import { OutboundRefusal } from './outbound-address.ts'

const pieceBytes = 2 ** 15

export interface AnswerReading {
  readonly maxBytes: number
  /** Called with the number of body bytes read so far. */
  readonly onRead: (bytes: number) => void
}

/** Reads an answer and checks that it is JSON while it arrives. Throws an `OutboundRefusal` if it is not. */
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
  // An answer without a content type is accepted if its content is JSON.
  if (!isJsonType(String(headers['content-type'] ?? 'application/json'))) throw notJson()
  return decode(await readJson(body, reading))
}

// Copies the bytes into one buffer. A host may send them one by one, and keeping each chunk would take much memory.
async function readJson(body: AsyncIterable<Buffer>, { maxBytes, onRead }: AnswerReading): Promise<Buffer> {
  const scanner = new JsonScanner()
  let read = Buffer.allocUnsafe(Math.min(maxBytes, 2 ** 14))
  let bytes = 0
  for await (const chunk of body) {
    const needed = bytes + chunk.length
    if (needed > maxBytes) throw new OutboundRefusal(`the answer has more than ${maxBytes} bytes`)
    onRead(needed)
    if (!(await scan(chunk, scanner))) throw notJson()
    if (needed > read.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, 2 * read.length)))
      read.copy(larger, 0, 0, bytes)
      read = larger
    }
    chunk.copy(read, bytes)
    bytes = needed
  }
  if (!scanner.end()) throw notJson()
  return read.subarray(0, bytes)
}

// Scans a chunk in pieces, so that other work can run between them.
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
