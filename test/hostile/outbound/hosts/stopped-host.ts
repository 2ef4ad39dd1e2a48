import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithParent } from '../../../server/processes/end-with-parent.ts'

export interface StoppedHost {
  /** As it goes into the allow-list. */
  readonly host: string
  /** Connections to it that this machine still tries to make. */
  attempts(): number
  close(): void
}

const script = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
  console.log(this.address().port) })`
const trying = '02'

/**
 * A host that does not answer at all: its process is stopped and its queue is full, so that a connection is never made.
 */
export async function startStoppedHost(): Promise<StoppedHost> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  endWithParent(child)
  const port = await new Promise<number>(resolve => child.stdout.once('data', text => resolve(Number(text))))
  child.kill('SIGSTOP')
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await sleep(200)
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const count = () =>
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(([, , to, state]) => to === remote && state === trying).length
  const ofFillers = count()
  return {
    host: `127.0.0.1:${port}`,
    attempts: () => count() - ofFillers,
    close() {
      for (const filler of fillers) filler.destroy()
      child.kill('SIGKILL')
    },
  }
}
