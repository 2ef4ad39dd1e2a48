// A customer of its own process that makes the gateway hold large bodies: it sends one of the requests below on each of
// the given number of connections, reads the answers and goes on holding them. Prints the statuses after each change,
// as JSON lines, and ends with its standard input. Arguments: base URL, token, the kind, connections.

import { randomUUID } from 'node:crypto'
import { request } from 'node:http'

const [baseUrl = '', token = '', kind = '', connections = '1'] = process.argv.slice(2)
// A little less than the largest, for what is two bytes a character.
const bodyBytes = 2 * 2 ** 20 - 16

const subscription = 'subscription { teamMembershipChanged { cursor } }'
const fill = (head: string, part: string, tail: string) =>
  head + part.repeat(Math.floor((bodyBytes - head.length - tail.length) / part.length)) + tail

const slowRun = JSON.stringify(
  `mutation { executeTask(input: { name: "slow",
    sourceCode: "const end = Date.now() + 4000; while (Date.now() < end); exit(1)",
    inputDocument: "1", options: "{}" }) { outcome } }`,
)
const keyed = { accept: 'application/json', 'idempotency-key': 'held' }
const streamed = { accept: 'text/event-stream' }
const text = 'x'.repeat(1_000)
const ownComment = () => `# ${randomUUID()}"}`

interface Attack {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Sends only a part of it. */
  readonly sentBytes?: number
  readonly chunkBytes?: number
  /** Follows the body, and is another text of the same length for each connection. */
  ending?(): string
}

const attacks: Readonly<Record<string, () => Attack>> = {
  'streams with many values in extensions': () => ({
    headers: streamed,
    body: fill(`{"query":"${subscription}","extensions":{"a":[`, '{},', '1]}}'),
  }),
  'streams with long extensions': () => ({
    headers: streamed,
    body: fill(`{"query":"${subscription}","extensions":{"a":"`, text, '"}}'),
  }),
  'streams with variables that nobody declared': () => ({
    headers: streamed,
    body: fill(`{"query":"${subscription}","variables":{"a":"ω`, text, '"}}'),
  }),
  'streams with a long document': () => ({
    headers: streamed,
    body: fill(`{"query":"${subscription}`, ' '.repeat(1_000), ownComment()).slice(0, -ownComment().length),
    ending: ownComment,
  }),
  'requests with many values at one key': () => ({
    headers: keyed,
    body: fill(`{"query":${slowRun},"extensions":{"a":[`, '{},', '1]}}'),
  }),
  'requests with long extensions at one key': () => ({
    headers: keyed,
    body: fill(`{"query":${slowRun},"extensions":{"a":"ω`, text, '"}}'),
  }),
  'bodies that never end': () => ({ headers: keyed, body: 'x'.repeat(bodyBytes), sentBytes: bodyBytes - 1 }),
  'bodies that come in chunks of a byte': () => ({
    headers: keyed,
    body: fill(`{"query":"{ __typename }","variables":{"a":"`, text, '"}}').slice(0, 400_000),
    chunkBytes: 1,
    sentBytes: 399_999,
  }),
}

const statuses: Record<string, number> = {}

function count(status: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1
  process.stdout.write(`${JSON.stringify(statuses)}\n`)
}

function prepare() {
  const {
    headers,
    body,
    chunkBytes,
    ending = () => '',
    ...rest
  } = attacks[kind]?.() ?? { headers: {}, body: '' }
  const bytes = Buffer.from(body)
  const { sentBytes = bytes.length } = rest
  const framed = chunkBytes === undefined ? bytes : Buffer.from('1\r\nx\r\n'.repeat(sentBytes))
  return { headers, bytes, framed, chunkBytes, sentBytes, ending }
}

// The connections share the bytes. Making them for each would keep this process from reading its answers in time.
const { headers, bytes, framed, chunkBytes, sentBytes, ending } = prepare()

function attack(): void {
  const end = ending()
  const framing = chunkBytes === undefined ? { 'content-length': bytes.length + end.length } : {}
  const sending = request(`${baseUrl}/graphql`, {
    agent: false,
    method: 'POST',
    headers: { ...headers, ...framing, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
  // After an early answer, the rest of the body meets a closed connection.
  let isAnswered = false
  sending.on('response', answer => {
    isAnswered = true
    count(String(answer.statusCode))
    answer.on('error', () => undefined).resume()
  })
  sending.on('error', (error: NodeJS.ErrnoException) => {
    if (!isAnswered) count(error.code ?? 'error')
  })
  if (chunkBytes === undefined) sending.write(bytes.subarray(0, sentBytes))
  else {
    sending.flushHeaders()
    sending.socket?.write(framed)
    sending.on('socket', socket => socket.write(framed))
  }
  if (sentBytes === bytes.length) sending.end(end)
}

for (let n = 0; n < Number(connections); n++) attack()
process.stdin.resume().on('end', () => process.exit())
