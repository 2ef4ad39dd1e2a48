// A flooding client in a separate process: a number of connections, each of which sends its next request as soon as it
// has an answer. Prints a `FloodReport`. Arguments: base URL, token, the kinds to send (`read,write,run,log`),
// connections, seconds.

import { Agent, request } from 'undici'

export interface FloodReport {
  /** Answers by kind and status, `run 429`, and failures by their code. */
  readonly answers: Readonly<Record<string, number>>
  readonly slowestMs: number
}

const [baseUrl = '', token = '', kindList = '', connections = '1', seconds = '1'] = process.argv.slice(2)
const kinds = kindList.split(',')

const execute = (sourceCode: string) => ({
  method: 'POST',
  path: '/api/1/endpoint/execute',
  body: { name: 'flood', sourceCode, inputDocument: '{}', options: '{}' },
})
let last = 0
const requests: Readonly<Record<string, () => { method: string; path: string; body?: unknown }>> = {
  read: () => ({ method: 'GET', path: '/platform/team_memberships?ids[]=1&ids[]=2' }),
  write: () => ({
    method: 'POST',
    path: '/platform/team_memberships',
    body: { team_membership: { user_id: ++last, team_id: 1 } },
  }),
  run: () => execute('const end = Date.now() + 100; while (Date.now() < end); exit(1)'),
  log: () => execute('for (let n = 0; n < 1000; n++) log("x".repeat(200)); exit(1)'),
}

const agent = new Agent({ connections: Number(connections) })
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const answers: Record<string, number> = {}
const end = performance.now() + 1_000 * Number(seconds)
let slowestMs = 0

async function send(kind: string): Promise<string> {
  const { method, path, body } = requests[kind]?.() ?? { method: 'GET', path: '/' }
  const options = {
    method,
    headers,
    dispatcher: agent,
    body: body === undefined ? null : JSON.stringify(body),
  }
  const answer = await request(baseUrl + path, options)
  await answer.body.dump()
  return `${kind} ${answer.statusCode}`
}

async function keepSending(kind: string): Promise<void> {
  while (performance.now() < end) {
    const started = performance.now()
    const word = await send(kind).catch((error: NodeJS.ErrnoException) => `${kind} ${error.code}`)
    slowestMs = Math.max(slowestMs, performance.now() - started)
    answers[word] = (answers[word] ?? 0) + 1
  }
}

await Promise.all(
  Array.from({ length: Number(connections) }, (_, n) => keepSending(kinds[n % kinds.length] ?? 'read')),
)
process.stdout.write(JSON.stringify({ answers, slowestMs } satisfies FloodReport))
process.exit()
