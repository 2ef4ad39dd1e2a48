import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AttackStage,
  attackSeconds,
  execute,
  executeAliased,
  fillAccount,
  keepPosting,
  openConnection,
  post,
  toBytes,
} from './send.ts'

const introspection =
  '{__schema{types{name description fields{name description args{name description ' +
  'type{name kind ofType{name}}} type{name kind ofType{name kind ofType{name kind ofType{name}}}}} ' +
  'inputFields{name type{name}} enumValues{name}}}}'
// Under aliases of the parts of the schema: an answer of many megabytes.
const largeIntrospection = introspection.replace(
  '{types{',
  `{${Array.from(
    { length: 20 },
    (_, index) => `t${index}:types{name fields{name args{name type{name}} type{name}}}`,
  ).join(' ')} types{`,
)
const callMany = `const q = ${JSON.stringify(largeIntrospection)}
  await Promise.all(Array.from({ length: 100 }, () => graphql(q).catch(() => 0))); exit(1)`

/** What one caller can make the event loop do. */
export const loopAttacks = {
  'calls of seven runs': (stage: AttackStage) => keepPosting(stage, 7, () => execute(callMany)),

  'streams and bulk changes': async (stage: AttackStage) => {
    const [token = ''] = stage.tokens
    const subscription = {
      query:
        'subscription{teamMembershipChanged{cursor kind teamMembershipId at transactionId ' +
        'before{userId teamId} after{userId teamId}}}',
    }
    const headers = ['Accept: text/event-stream']
    const bytes = toBytes('POST', '/graphql', { token, headers, body: subscription })
    const sockets = Array.from({ length: 100 }, () => openConnection(stage).resume())
    for (const socket of sockets) socket.write(bytes)
    await sleep(1_000)
    const outcomes = {}
    for (let round = 1; round <= 2; round += 1) {
      const items = Array.from({ length: 1_000 }, (_, index) => ({
        userId: index + 1,
        teamId: 1_000 + round,
      }))
      const query = 'mutation($items:[AddTeamMembershipInput!]!){addTeamMemberships(items:$items){applied}}'
      await post(stage, outcomes, { body: { query, variables: { items } } })
    }
    await sleep(attackSeconds * 1_000)
    for (const socket of sockets) socket.destroy()
    return outcomes
  },

  'input documents of 136,000 keys': (stage: AttackStage) => {
    const keys = Array.from({ length: 136_000 }, (_, index) => `"k${index}":1`).join()
    return keepPosting(stage, 4, () => execute('exit(1)', { inputDocument: `{${keys}}` }))
  },

  'the same under a key, over GraphQL': (stage: AttackStage) => {
    const inputDocument = `{${Array.from({ length: 136_000 }, (_, index) => `"k${index}":1`).join()}}`
    const query = 'mutation($input:ExecuteTaskInput!){executeTask(input:$input){id}}'
    const input = { name: 'a', sourceCode: 'exit(1)', inputDocument, options: '{}' }
    let last = 0
    return keepPosting(stage, 4, () => {
      last += 1
      return { body: { query, variables: { input } }, headers: { 'idempotency-key': `document-${last}` } }
    })
  },

  'operations at the bound of cost': async (stage: AttackStage) => {
    await fillAccount(stage)
    const pages = Array.from(
      { length: 45 },
      (_, index) => `a${index}:team(id:1){memberships(first:100){nodes{id user{id}}}}`,
    )
    return keepPosting(stage, 8, () => ({ body: { query: `{${pages.join(' ')}}` } }))
  },

  'texts that take long to parse': (stage: AttackStage) => {
    const query = `{${Array.from({ length: 500 }, (_, index) => `a${index}:viewer{userId}`).join(' ')}}`
    let last = 0
    return keepPosting(stage, 8, () => {
      last += 1
      return { body: { query: `${query}#${last}` } }
    })
  },

  'answers of scripts with many fields': (stage: AttackStage) =>
    keepPosting(stage, 4, () => ({
      body: executeAliased(
        'exit(Object.fromEntries(Array.from({length:90000},(_,i)=>["k"+i,i])))',
        'payload',
        2,
      ),
    })),
}
