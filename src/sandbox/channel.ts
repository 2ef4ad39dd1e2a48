import { writeSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { FromSandbox, ToSandbox } from '../scripts/protocol.ts'

const standardOutput = 1

/**
 * Sends a message to the gateway. Returns when the kernel has the message, so that it survives a crash of this process.
 */
export function send(message: FromSandbox): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
  let sent = 0
  while (sent < bytes.length) sent += writeSync(standardOutput, bytes, sent)
}

/** Calls `onMessage` for each message of the gateway, and `onGone` when the gateway has ended. */
export function receive(onMessage: (message: ToSandbox) => void, onGone: () => void): void {
  const decoder = new StringDecoder('utf8')
  let parts: string[] = []
  process.stdin.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk)
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      parts.push(text.slice(from, at))
      const line = parts.join('')
      parts = []
      from = at + 1
      onMessage(JSON.parse(line))
    }
    parts.push(text.slice(from))
  })
  process.stdin.on('error', onGone)
  process.stdin.on('close', onGone)
}
