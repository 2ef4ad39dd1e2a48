import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { followEvents } from '../../server/clients/follow-events.ts'
import { type ObservedServer, startObservedServer } from '../../server/gateways/start-server.ts'
import { endWithParent } from '../../server/processes/end-with-parent.ts'
import { forgetPeakMemory, peakBytesOf } from '../neighbours/peak-memory.ts'

const attack = fileURLToPath(new URL('./hold-bodies.ts', import.meta.url))
const maxResidentMb = 600
// Of the processor: the machine may be busy with other things.
const maxTurnMs = 100

let server: ObservedServer
let accounts = 0
let attacker: string
let neighbour: string

beforeAll(async () => {
  server = await startObservedServer({ ROSTRUM_TASK_CPU_MS: '10000', LOG_LEVEL: 'warn' })
  neighbour = await server.token({ account: 'neighbour', scopes: ['memberships:read'] })
})
beforeEach(async () => {
  accounts += 1
  const account = `attacker-${accounts}`
  attacker = await server.token({ account, scopes: ['memberships:read', 'tasks:execute'] })
  forgetPeakMemory(server.pid)
})
afterAll(() => server.stop())

interface Attack {
  readonly kind: string
  readonly connections: number
  /** Only these, however many of each. */
  readonly statuses: readonly string[]
}

/** Attacks until all are answered, while the neighbour asks every 20 ms; 20 s where some never are. */
async function attackWith({ kind, connections, statuses }: Attack): Promise<Record<string, number>> {
  let output = ''
  let answers: Record<string, number> = {}
  const child = spawn(process.execPath, [attack, server.baseUrl, attacker, kind, String(connections)])
  endWithParent(child)
  child.stdout.on('data', chunk => {
    output += chunk
    answers = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '{}')
  })
  child.stderr.pipe(process.stderr)
  const failures: string[] = []
  const asked: Promise<void>[] = []
  let slowestMs = 0
  const ask = async () => {
    const started = performance.now()
    const path = '/platform/team_memberships?ids[]=1'
    const { status, text } = await server.rest('GET', path, { token: neighbour })
    slowestMs = Math.max(slowestMs, performance.now() - started)
    if (status !== 200) failures.push(text)
  }
  const timer = setInterval(() => asked.push(ask()), 20)
  const count = () => Object.values(answers).reduce((sum, each) => sum + each, 0)
  for (let waited = 0; waited < 20_000 && count() < connections; waited += 100) await sleep(100)
  clearInterval(timer)
  await Promise.all(asked)
  child.stdin.end()
  const peakMb = Math.round(peakBytesOf(server.pid) / 2 ** 20)
  const longestTurnMs = Math.round((await server.observe()).longestTurnMs)
  slowestMs = Math.round(slowestMs)
  console.log(`${connections} ${kind}:`, answers, { peakMb, longestTurnMs, slowestMs })
  expect(failures).toEqual([])
  expect(Object.keys(answers).filter(status => !statuses.includes(status))).toEqual([])
  expect(peakMb).toBeLessThan(maxResidentMb)
  expect(longestTurnMs).toBeLessThan(maxTurnMs)
  return answers
}

// What loads with the first stream is no attack's.
async function warmUp(): Promise<void> {
  const stream = await followEvents(server, { token: attacker })
  stream.cut()
  await server.observe()
}

test.each([
  { kind: 'streams with many values in extensions', connections: 100, statuses: ['400', '429'] },
  { kind: 'streams with long extensions', connections: 100, statuses: ['200', '429'] },
  { kind: 'streams with variables that nobody declared', connections: 100, statuses: ['200', '429'] },
  { kind: 'streams with a long document', connections: 100, statuses: ['200', '429'] },
  { kind: 'requests with many values at one key', connections: 130, statuses: ['400', '429'] },
  { kind: 'requests with long extensions at one key', connections: 130, statuses: ['200', '429'] },
  { kind: 'bodies that never end', connections: 300, statuses: ['408', '429'] },
  { kind: 'bodies that come in chunks of a byte', connections: 100, statuses: ['400'] },
])('$connections $kind leave the gateway its memory, and its turns', { timeout: 60_000 }, async attacking => {
  await warmUp()
  const answers = await attackWith(attacking)
  expect(Object.values(answers).reduce((sum, each) => sum + each, 0)).toBeGreaterThan(20)
})
