import { readSync, writeSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { type FromSandbox, type HeldMessage, readLine, type ToSandbox, toLine } from '../scripts/protocol.ts'

const standardOutput = 1
// The pipe that keeps held lines if this process dies (`scripts/launch/held-lines.ts`).
const heldLines = 3
const hasPipe = process.argv[3] === 'holds'
// A pipe of Linux takes 64 KiB.
const maxHeldBytes = 32 * 1024
const maxHeldMs = 10

let held = ''
let heldBytes = 0
let heldSince = 0
// The number of messages so far. The gateway counts too, so that it knows which of those in the pipe it has.
let count = 0
let timer: NodeJS.Timeout | null = null
const discarded = Buffer.alloc(64 * 1024)

/**
 * Sends a message to the gateway, after those that are held. Returns when the kernel has the message, so that it
 * survives a crash of this process.
 */
export function send(message: FromSandbox): void {
  count++
  write(`${held}${toLine(message)}\n`)
  forget()
}

/**
 * Sends a message within some milliseconds, together with those that follow: each message by itself would wake the
 * gateway. While a script computes without a message, nothing is sent; the gateway then looks into the pipe for held
 * lines. That pipe also keeps the message if this process crashes.
 */
export function hold(message: HeldMessage): void {
  if (!hasPipe) return send(message)
  count++
  const line = `${toLine(message)}\n`
  const bytes = Buffer.byteLength(line)
  if (held === '') heldSince = performance.now()
  held += line
  heldBytes += bytes
  const isDue = heldBytes > maxHeldBytes || performance.now() - heldSince > maxHeldMs
  if (isDue || !keep(line, bytes)) return flush()
  timer ??= setInterval(flushOrStop, maxHeldMs)
}

// Returns false if the pipe has not taken the whole line.
function keep(line: string, bytes: number): boolean {
  try {
    const number = `${count} `
    return writeSync(heldLines, number + line) === number.length + bytes
  } catch {
    return false
  }
}

function flush(): void {
  write(held)
  forget()
}

function flushOrStop(): void {
  if (held !== '') return flush()
  if (timer !== null) clearInterval(timer)
  timer = null
}

/** Ends this process, also one with an isolate that is stuck, for which `process.exit` would wait. */
export function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

function write(text: string): void {
  try {
    let sent = writeSync(standardOutput, text)
    if (sent === Buffer.byteLength(text)) return
    const bytes = Buffer.from(text)
    while (sent < bytes.length) sent += writeSync(standardOutput, bytes, sent)
  } catch {
    // The gateway has ended.
    die()
  }
}

// The gateway has the held lines, so the pipe need not keep them.
function forget(): void {
  if (held === '') return
  held = ''
  heldBytes = 0
  try {
    readSync(heldLines, discarded)
  } catch {
    // The pipe is empty.
  }
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
      onMessage(readLine(line) as ToSandbox)
    }
    parts.push(text.slice(from))
  })
  process.stdin.on('error', onGone)
  process.stdin.on('close', onGone)
}
