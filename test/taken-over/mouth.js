// A sandbox process in somebody else's hands, between a real gateway and a real sandbox. A run whose source begins with
// `//speech ` is not run: what the gateway hears is the rest of that line, a JSON list of chunks (see deeds below). All
// other runs go to a real sandbox, started when first needed, and are not touched. Arguments: the command of the real
// sandbox. It is given to this program in the place of the `sh` that would have started it.
import { spawn } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLines } from './read-lines.js'

const command = process.argv.slice(2)
const mark = '//speech '
let firstLine = null
let real = null
let answers = []
let nextAnswer = null

const deeds = {
  text: ({ text, times = 1 }, run) => write(1, Buffer.from(named(text, run)), times),
  // In pieces of these sizes, over and over, each in a write of its own.
  lines: ({ lines, sizes }, run) => writeInPieces(Buffer.from(named(lines, run)), sizes),
  bytes: ({ bytes, times = 1 }) => write(1, Buffer.from(bytes, 'base64'), times),
  error: ({ error, times = 1 }) => write(2, Buffer.from(error), times),
  close: ({ close }) => closeSync(close),
  exit: ({ exit }) => process.reallyExit(exit),
  wait: ({ wait }) => sleep(wait),
  // Waits for an answer of the gateway and says it again, as the data of a log.
  answer: async (_, run) => {
    const text = answers.shift() ?? (await new Promise(resolve => (nextAnswer = resolve)))
    say({ type: 'log', run, level: 'info', data: JSON.stringify(['answer', text]) })
  },
  stop: () => process.kill(process.pid, 'SIGSTOP'),
  block() {
    for (;;);
  },
}

function named(text, run) {
  return text.replaceAll('<run>', run).replaceAll('<pid>', String(process.pid))
}

function say(message) {
  write(1, Buffer.from(`${JSON.stringify(message)}\n`), 1)
}

function write(fd, bytes, times) {
  for (let i = 0; i < times; i++) {
    for (let sent = 0; sent < bytes.length; ) sent += writeSync(fd, bytes, sent)
  }
}

function writeInPieces(bytes, sizes) {
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length]
    write(1, bytes.subarray(at, at + size), 1)
    at += size
  }
}

async function speak(chunks, run) {
  answers = []
  for (const chunk of chunks) {
    const [name] = Object.keys(chunk)
    await deeds[name](chunk, run)
  }
}

// It is given nothing before it has said that it is ready, and says that once more than the gateway must hear.
function startReal(firstMessage) {
  real = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
  real.on('close', () => process.kill(process.pid, 'SIGKILL'))
  let isReady = false
  readLines(real.stdout, line => {
    if (isReady) return write(1, Buffer.from(`${line}\n`), 1)
    isReady = true
    real.stdin.write(`${firstMessage}\n`)
  })
  real.stdin.write(`${JSON.stringify({ ...JSON.parse(firstLine), gateway: process.pid })}\n`)
}

function hear(line) {
  // The document of a run, or the answer to a call, follows the message.
  const [head, text] = line.split('\u001e')
  const message = JSON.parse(head)
  if (message.type === 'run' && message.source.startsWith(mark)) {
    real?.removeAllListeners('close')
    real?.kill('SIGKILL')
    real = null
    return void speak(JSON.parse(message.source.slice(mark.length)), message.run)
  }
  if (message.type === 'run' && real === null) return startReal(line)
  if (real !== null) return real.stdin.write(`${line}\n`)
  if (nextAnswer === null) return answers.push(text ?? message.text)
  nextAnswer(text ?? message.text)
  nextAnswer = null
}

readLines(process.stdin, line => {
  if (firstLine !== null) return hear(line)
  firstLine = line
  say({ type: 'ready' })
}).on('close', () => process.kill(process.pid, 'SIGKILL'))
