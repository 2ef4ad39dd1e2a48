import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSystemLog } from '../../../src/commands/system-log.ts'

// Writes log lines to a disk that is full until the log holds all that it may, and then has room.
const { log, flush } = await createSystemLog({ logLevel: 'info', logFormat: 'json' })
const write = fs.write
let isFull = true
let isLossLogged = false
fs.write = ((...given: Parameters<typeof write>) => {
  if (!isFull) {
    isLossLogged ||= String(given[1]).includes('log lines were lost')
    return write(...given)
  }
  const done = given.at(-1) as unknown as (error: Error) => void
  setImmediate(done, Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
}) as typeof write
const text = 'x'.repeat(250_000)
for (let n = 0; n < 70; n++) log.info({ text }, 'long')
// Shorter lines fill the room that is left. Lines of ten milliseconds are one text, so the last ones wait.
for (let n = 0; n < 700; n++) {
  log.info({ text: 'x'.repeat(400) }, 'short')
  if (n % 20 === 0 || n > 640) await sleep(12)
}
await sleep(50)
isFull = false
log.info({ text: 'x'.repeat(1_000) }, 'there is room')
for (let n = 0; n < 1_000 && !isLossLogged; n++) await sleep(10)
log.info('the last one')
process.exitCode = (await flush(5_000)) ? 0 : 1
