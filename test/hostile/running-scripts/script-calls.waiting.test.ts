import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { patience, usualPatience } from '../../server/processes/patience.ts'
import { forgetPeakMemory, watchPeakMemory } from '../neighbours/peak-memory.ts'
import { quantile, startSteadyLoad } from '../neighbours/steady-load.ts'

const maxPeakBytes = 600 * 2 ** 20
const accounts = 7

// A hundred calls each, of which ten go at once.
const callAll = (call: string) =>
  `const call = ${call}
   await Promise.all(Array.from({ length: 100 }, (_, i) => call(i).catch(() => null))); exit('done')`

const descriptions = Array.from({ length: 60 }, (_, n) => `a${n}: description`).join(' ')
const introspection = (types: number) =>
  `{ __schema { ${Array.from({ length: types }, (_, n) => `t${n}: types { ...d }`).join(' ')} } }
    fragment d on __Type { ${descriptions} }`

const attacks: [string, string][] = [
  ['the largest introspection', callAll(`() => graphql(${JSON.stringify(introspection(3))})`)],
  ['introspection of 13 MB', callAll(`() => graphql(${JSON.stringify(introspection(39))})`)],
  [
    'variables of 700,000 objects',
    `const v = { a: Array.from({ length: 690000 }, () => ({})) }
     ${callAll("() => graphql('{ viewer { userId } }', v)")}`,
  ],
  [
    'variables of one text of 2 MB',
    `const v = { a: 'x'.repeat(2090000) }
     ${callAll("() => graphql('query ($a: String) { viewer { userId } }', v)")}`,
  ],
  [
    'another document of 2 MB each',
    `const c = 'x'.repeat(2090000)
     ${callAll("i => graphql('{ viewer { userId } } #' + i + c)")}`,
  ],
  [
    'another document of 4,000 fields each',
    callAll("i => graphql('{ viewer { userId } } fragment a' + i + ' on User {' + 'id '.repeat(4000) + '}')"),
  ],
  [
    'runs inside runs with results of 2 MB',
    `const sourceCode = "exit('x'.repeat(2000000))"
     ${callAll("() => Platform.tasks.execute({ name: 'n', sourceCode, inputDocument: {}, options: {} })")}`,
  ],
  ['logs without end', "for (let i = 0; i < 1e6; i++) log('x'.repeat(250)); exit('done')"],
]

let server: TestServer
let attackers: string[]
let neighbour: string

beforeAll(async () => {
  const sandboxes = { ROSTRUM_SANDBOXES: '8', ROSTRUM_WARM_SANDBOXES: '2' }
  server = await startServer({
    ...usualPatience,
    ROSTRUM_QUEUE_WAIT_MS: patience.ROSTRUM_QUEUE_WAIT_MS,
    ...sandboxes,
  })
  const names = Array.from({ length: accounts }, (_, n) => `attacker-${n}`)
  attackers = await Promise.all(names.map(account => server.token({ account, user: 1 })))
  neighbour = await server.token({ account: 'neighbour', user: 1 })
})
afterAll(() => server.stop())

test.each(attacks)('seven runs at once that call with %s cost nobody an answer', async (name, sourceCode) => {
  forgetPeakMemory(server.pid)
  const peak = watchPeakMemory(server.pid)
  const stop = await startSteadyLoad(server, neighbour)
  const answers = await Promise.all(attackers.map(token => server.execute(sourceCode, { token })))
  const { failures, latencies } = await stop()
  const slowest = Object.entries(latencies).map(([kind, ms]) => `${kind} ${quantile(ms, 1).toFixed(0)} ms`)
  const words = answers.map(({ status, body }) => body.task_execution?.error?.code ?? status)
  console.log(
    `${name}: slowest ${slowest.join(', ')}; ${(peak() / 2 ** 20).toFixed(0)} MB; ${words.join(' ')}`,
  )

  expect(failures).toEqual([])
  expect(peak()).toBeLessThan(maxPeakBytes)
})
