import { writeSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { FromSandbox, ToSandbox } from '../tasks/protocol.ts'

const standardOutput = 1

/** Hands a message to the kernel before it returns: what was sent survives a crash of this process. */
export function send(message: FromSandbox): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
  let sent = 0
  while (sent < bytes.length) sent += writeSync(standardOutput, bytes, sent)
}

/** Calls back for each message of the gateway, and once when the gateway is gone. */
export function receive(onMessage: (message: ToSandbox) => void, onGone: () => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  process.stdin.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onMessage(JSON.parse(line))
  })
  process.stdin.on('error', onGone)
  process.stdin.on('close', onGone)
}
