import { allUsedIds, type Model } from '../model/membership-model.ts'
import { type AccountName, accounts } from '../model/membership-operations.ts'
import type { WireAnswer } from '../wire/wire-answer.ts'
import type { WireClient } from '../wire/wire-client.ts'

const path = '/platform/team_memberships'

interface EndOfHistory {
  readonly client: WireClient
  readonly model: Model
  readonly tokens: Readonly<Record<AccountName, string>>
  /** An id that was never given out. */
  readonly missingId: number
}

/**
 * What is wrong once a history is over: rows that are not the model's, records that are missing, foreign ids that show.
 */
export async function findLastFaults(end: EndOfHistory): Promise<string[]> {
  const faults = []
  for (const account of accounts) {
    faults.push(await findWrongRows(end, account))
    faults.push(await findMissingRecords(end, account))
    faults.push(await findForeignIds(end, account))
  }
  return faults.flat()
}

async function findWrongRows(end: EndOfHistory, account: AccountName): Promise<string[]> {
  const ids = [...allUsedIds(end.model), end.missingId]
  const rows = ids.flatMap(id => end.model.rows[account].get(id) ?? [])
  const expected = rows.map(({ id, user, team }) => ({ id, user_id: user, team_id: team, leader: null }))
  const { text } = await ask(end, { account, target: `${path}?${ids.map(id => `ids[]=${id}`).join('&')}` })
  if (text === JSON.stringify({ team_memberships: expected })) return []
  return [`rows of ${account}: ${text}, expected ${JSON.stringify(expected)}`]
}

async function findMissingRecords(end: EndOfHistory, account: AccountName): Promise<string[]> {
  const rows = [...end.model.rows[account].values()]
  const users = rows.map(({ user }) => `/platform/users/${user}`)
  const teams = rows.map(({ team }) => `/platform/teams/${team}`)
  const faults = []
  for (const target of new Set([...users, ...teams])) {
    const { status } = await ask(end, { account, target })
    if (status !== 200) faults.push(`${target} of a membership: ${status}`)
  }
  return faults
}

async function findForeignIds(end: EndOfHistory, account: AccountName): Promise<string[]> {
  // An id may be one of each account's: what is asked for is one of the other alone.
  const theirs = [...end.model.rows[account === 'a' ? 'b' : 'a'].keys()]
  const foreign = theirs.find(id => !end.model.usedIds[account].has(id))
  if (foreign === undefined) return []
  const faults = []
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const foreigns = await ask(end, { account, method, target: `${path}/${foreign}` })
    const nobodys = await ask(end, { account, method, target: `${path}/${end.missingId}` })
    const [left, right] = [withoutId(foreigns, foreign), withoutId(nobodys, end.missingId)]
    if (left !== right) faults.push(`${method} of a foreign id differs:\n${left}\n${right}`)
  }
  return faults
}

interface Question {
  readonly account: AccountName
  readonly target: string
  readonly method?: string
}

async function ask({ client, tokens }: EndOfHistory, { account, method = 'GET', target }: Question) {
  const headers = [
    ['Authorization', `Bearer ${tokens[account]}`],
    ['Content-Type', 'application/json'],
  ] as const
  const body = method === 'PUT' ? Buffer.from('{"team_membership":{"user_id":1}}') : null
  const answer = await client.send({ method, target, headers, body })
  if (answer === null) throw new Error(`closed without an answer to ${method} ${target}`)
  return answer
}

// All of an answer but what differs from one to the next, byte for byte.
function withoutId({ status, headers, text }: WireAnswer, id: number): string {
  const passing = ['date', 'x-request-id', 'content-length']
  const kept = [...headers].filter(([name]) => !passing.includes(name))
  return `${status} ${JSON.stringify(kept)} ${text}`.replaceAll(`\`${id}\``, '`<id>`')
}
