import { createInterface } from 'node:readline'

// Kills the sandboxes when the gateway has died (`reaper.ts`). Each line of standard input has the pids of all
// sandboxes. The kernel ends the input, however the gateway dies.

let pids: number[] = []
for await (const line of createInterface({ input: process.stdin })) {
  pids = line.split(' ').filter(Boolean).map(Number)
}
for (const pid of pids) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone.
  }
}
