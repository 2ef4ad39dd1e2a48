import type { Model } from './membership-model.ts'
import { type AccountName, accounts } from './membership-operations.ts'
import type { WireAnswer } from './wire-answer.ts'
import type { WireClient } from './wire-client.ts'

interface EndOfHistory {
  readonly client: WireClient
  readonly model: Model
  readonly tokens: Readonly<Record<AccountName, string>>
  /** An id that was never given out. */
  readonly missingId: number
}

/** What is wrong once a history is over: rows that are not the model's, records that are missing, foreign ids that show. */
export async function findLastFaults({ client, model, tokens, missingId }: EndOfHistory): Promise<string[]> {
  const faults: string[] = []

  async function ask(account: AccountName, method: string, target: string): Promise<WireAnswer> {
    const headers = [
      ['Authorization', `Bearer ${tokens[account]}`],
      ['Content-Type', 'application/json'],
    ] as const
    const body = method === 'PUT' ? Buffer.from('{"team_membership":{"user_id":1}}') : null
    const answer = await client.send({ method, target, headers, body })
    if (answer === null) throw new Error(`closed without an answer to ${method} ${target}`)
    return answer
  }

  for (const account of accounts) {
    const rows = [...model.rows[account].values()].sort((left, right) => left.id - right.id)
    const ids = [...model.usedIds, missingId].sort((left, right) => left - right)
    const list = await ask(
      account,
      'GET',
      `/platform/team_memberships?${ids.map(id => `ids[]=${id}`).join('&')}`,
    )
    const expected = rows.map(({ id, user, team }) => ({ id, user_id: user, team_id: team, leader: null }))
    if (list.text !== JSON.stringify({ team_memberships: expected })) {
      faults.push(`rows of ${account}: ${list.text}, expected ${JSON.stringify(expected)}`)
    }
    for (const folder of ['users', 'teams'] as const) {
      const named = new Set(rows.map(row => (folder === 'users' ? row.user : row.team)))
      for (const id of named) {
        const { status } = await ask(account, 'GET', `/platform/${folder}/${id}`)
        if (status !== 200) faults.push(`${folder}/${id} of a membership: ${status}`)
      }
    }
    const [foreign] = model.rows[account === 'a' ? 'b' : 'a'].keys()
    for (const method of foreign === undefined ? [] : ['GET', 'PUT', 'DELETE']) {
      const [theirs, nobodys] = [
        await ask(account, method, `/platform/team_memberships/${foreign}`),
        await ask(account, method, `/platform/team_memberships/${missingId}`),
      ].map((answer, index) => withoutId(answer, String(index === 0 ? foreign : missingId)))
      if (theirs !== nobodys) faults.push(`${method} of a foreign id differs:\n${theirs}\n${nobodys}`)
    }
  }
  return faults
}

// All of an answer but what differs from one to the next, byte for byte.
function withoutId({ status, headers, text }: WireAnswer, id: string): string {
  const passing = ['date', 'x-request-id', 'content-length']
  const kept = [...headers].filter(([name]) => !passing.includes(name))
  return `${status} ${JSON.stringify(kept)} ${text}`.replaceAll(`\`${id}\``, '`<id>`')
}
