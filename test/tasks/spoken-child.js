// A sandbox that was taken over: it says what it is told to, chunk by chunk, and nothing else.
// Argument: {"atStart": [chunk…], "onRun": [chunk…], "onAnswer": [chunk…], "reads": true}; a chunk is text, with `<run>` for the
// id of the run, or [text, times].
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const {
  atStart = ['{"type":"ready"}\n'],
  onRun = [],
  onAnswer = [],
  reads = true,
} = JSON.parse(process.argv[2])

function say(chunks, run) {
  for (const chunk of chunks) {
    const [text, times] = Array.isArray(chunk) ? chunk : [chunk, 1]
    const bytes = Buffer.from(text.replaceAll('<run>', run))
    for (let i = 0; i < times; i++) write(bytes)
  }
}

function write(bytes) {
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent)
}

let hasStarted = false
createInterface({ input: process.stdin })
  .on('line', function (line) {
    if (!hasStarted) {
      hasStarted = true
      return say(atStart, '')
    }
    const message = JSON.parse(line)
    if (message.type === 'answer') return say(onAnswer, message.run)
    if (!reads) this.pause()
    say(onRun, message.run)
  })
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
