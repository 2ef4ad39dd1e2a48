// A compromised sandbox that sends the given chunks and nothing else. Argument: {"atStart": [chunk…], "onRun":
// [chunk…], "onAnswer": [chunk…], "reads": true}. A chunk is a text, with `<run>` for the id of the run and `<pid>` for
// its own, or [text, times], or an action: {"error": text, "times": n}, {"close": 1}, {"fork": true}, {"exit": 1},
// {"wait": ms}, {"work": ms}, {"block": true}, {"hold": text}, or {"exitOnce": path}, which exits unless another child
// has made this folder.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const {
  atStart = ['{"type":"ready"}\n'],
  onRun = [],
  onAnswer = [],
  reads = true,
} = JSON.parse(process.argv[2])

const deeds = {
  error: ({ error, times = 1 }) => write(2, error, times),
  close: ({ close }) => closeSync(close),
  // Holds the inherited descriptors and would outlive its parent.
  fork: () => void spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }),
  exit: ({ exit }) => process.reallyExit(exit),
  exitOnce({ exitOnce }) {
    if (existsSync(exitOnce)) return
    mkdirSync(exitOnce)
    process.reallyExit(3)
  },
  wait: ({ wait }) => sleep(wait),
  work({ work }) {
    const before = process.cpuUsage()
    const worked = ({ user, system }) => (user + system) / 1_000
    // To ask for the time is itself work of the system.
    while (worked(process.cpuUsage(before)) < work);
  },
  block() {
    for (;;);
  },
}

async function say(chunks, run) {
  for (const chunk of chunks) {
    const [deed] = Object.keys(chunk)
    if (deed === 'hold') write(3, named(chunk.hold, run), 1)
    else if (typeof chunk === 'string') write(1, named(chunk, run), 1)
    else if (Array.isArray(chunk)) write(1, named(chunk[0], run), chunk[1])
    else await deeds[deed](chunk)
  }
}

function named(text, run) {
  return text.replaceAll('<run>', run).replaceAll('<pid>', String(process.pid))
}

function write(fd, text, times) {
  const bytes = Buffer.from(text)
  for (let i = 0; i < times; i++) {
    for (let sent = 0; sent < bytes.length; ) sent += writeSync(fd, bytes, sent)
  }
}

let hasStarted = false
createInterface({ input: process.stdin })
  .on('line', function (line) {
    if (!hasStarted) {
      hasStarted = true
      return void say(atStart, '')
    }
    const message = JSON.parse(line.split('\u001e')[0])
    if (message.type === 'answer') return void say(onAnswer, message.run)
    if (!reads) this.pause()
    void say(onRun, message.run)
  })
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
