import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

/**
 * What an attack may use: the gateway's URL, tokens of five accounts that are none of the neighbour's, and a listed
 * host.
 */
export interface AttackStage {
  readonly baseUrl: string
  readonly tokens: readonly string[]
  /** A host on the allow-list that never answers. */
  readonly silentUrl: string
}

/** How often each status was answered, and each failure happened. */
export type Outcomes = Record<string, number>

/** The bytes of one HTTP/1.1 request. */
export function toBytes(
  method: string,
  path: string,
  { token, headers = [], body }: { token?: string; headers?: readonly string[]; body?: unknown } = {},
): string {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}

export function openConnection({ baseUrl }: AttackStage): Socket {
  const { hostname, port } = new URL(baseUrl)
  return connect(Number(port), hostname).on('error', () => {})
}

/** Opens connections that write the bytes, read nothing and stay open. */
export async function sendUnread(stage: AttackStage, bytes: string, connections: number) {
  const sockets = Array.from({ length: connections }, () => openConnection(stage).pause())
  for (const socket of sockets) socket.write(bytes)
  await sleep(attackSeconds * 1_000)
  for (const socket of sockets) socket.destroy()
}

/** Writes the bytes again and again over one connection, as fast as they are taken, and reads all answers. */
export async function keepWriting(stage: AttackStage, bytes: string): Promise<void> {
  const endsAt = performance.now() + attackSeconds * 1_000
  while (performance.now() < endsAt) {
    const socket = openConnection(stage).resume()
    const ended = new Promise<void>(resolve => socket.on('close', () => resolve()))
    const write = () => {
      while (performance.now() < endsAt && !socket.destroyed && socket.write(bytes));
    }
    socket.on('drain', write)
    write()
    await Promise.race([ended, sleep(endsAt - performance.now())])
    socket.destroy()
    await sleep(10)
  }
}

/** How long an attack lasts. The gateway's memory is at its peak within a second or two. */
export const attackSeconds = 2
const longAttackSeconds = 4

const agent = new Agent({ connections: 2_000, headersTimeout: 60_000, bodyTimeout: 60_000 })

interface Post {
  readonly path?: string
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
  /** Disconnects, which counts as `left`. */
  readonly signal?: AbortSignal
}

/** One request whose answer is read and thrown away; counts how it ended. */
export async function post(
  stage: AttackStage,
  outcomes: Outcomes,
  { path = '/graphql', token, headers, body, signal }: Post,
) {
  const ended = await request(stage.baseUrl + path, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token ?? stage.tokens[0]}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  }).then(
    async answer => {
      await answer.body.dump({ limit: 2 ** 30 })
      return String(answer.statusCode)
    },
    (error: NodeJS.ErrnoException) => (signal?.aborted ? 'left' : (error.code ?? error.message)),
  )
  outcomes[ended] = (outcomes[ended] ?? 0) + 1
}

/** Sends `count` requests at once. */
export async function postMany(
  stage: AttackStage,
  count: number,
  make: (index: number) => Post,
): Promise<Outcomes> {
  const outcomes: Outcomes = {}
  await Promise.all(Array.from({ length: count }, (_, index) => post(stage, outcomes, make(index))))
  return outcomes
}

/** Sends from several senders, each of which sends its next request after an answer. */
export async function keepPosting(
  stage: AttackStage,
  senders: number,
  make: (index: number) => Post,
  seconds = attackSeconds,
): Promise<Outcomes> {
  const outcomes: Outcomes = {}
  const endsAt = performance.now() + seconds * 1_000
  const keepOn = async (index: number) => {
    while (performance.now() < endsAt) {
      await post(stage, outcomes, make(index))
      // So that a refusal at once is no busy loop of this process.
      await sleep(5)
    }
  }
  await Promise.all(Array.from({ length: senders }, (_, index) => keepOn(index)))
  return outcomes
}

/** The same for longer than a run may last; then disconnects from what is not answered yet. */
export function keepPostingUntil(
  stage: AttackStage,
  senders: number,
  make: (index: number) => Post,
): Promise<Outcomes> {
  const signal = AbortSignal.timeout(longAttackSeconds * 1_000)
  return keepPosting(stage, senders, index => ({ ...make(index), signal }), longAttackSeconds)
}

/** Gives an account a thousand memberships, and as many events. */
export function fillAccount(stage: AttackStage): Promise<Outcomes> {
  const query = 'mutation($items:[AddTeamMembershipInput!]!){addTeamMemberships(items:$items){applied}}'
  const items = Array.from({ length: 1_000 }, (_, index) => ({ userId: index + 1, teamId: 1 }))
  return postMany(stage, 1, () => ({ body: { query, variables: { items } } }))
}

export const execute = (sourceCode: string, more: object = {}) => ({
  path: '/api/1/endpoint/execute',
  body: { name: 'attack', sourceCode, inputDocument: '{}', options: '{}', ...more },
})

/** A mutation of some 400 bytes that runs a script and selects a field under many aliases. */
export const executeAliased = (sourceCode: string, field: string, aliases: number) => {
  const fields = Array.from({ length: aliases }, (_, index) => `a${index}:${field}`).join(' ')
  const input = `name:"a",sourceCode:${JSON.stringify(sourceCode)},inputDocument:"{}",options:"{}"`
  return { query: `mutation{executeTask(input:{${input}}){${fields}}}` }
}
