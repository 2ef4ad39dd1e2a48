import { type AttackStage, keepWriting, sendUnread, toBytes } from './send.ts'

const graphiql = toBytes('GET', '/graphql', { headers: ['Accept: text/html'] })
const unknown = toBytes('GET', '/a')
const madeUp = () =>
  toBytes('GET', '/platform/team_memberships/1', { token: `rost_${crypto.randomUUID().replaceAll('-', '')}` })

/** What one caller can do without a credential. */
export const connectionAttacks = {
  'pages that nobody reads, pipelined': (stage: AttackStage) =>
    sendUnread(stage, graphiql.repeat(1_500), 1_500),
  'unknown paths, pipelined over one connection': (stage: AttackStage) =>
    keepWriting(stage, unknown.repeat(1_000)),
  'pages, pipelined over one connection': (stage: AttackStage) => keepWriting(stage, graphiql.repeat(200)),
  'made-up tokens, pipelined over five connections': async (stage: AttackStage) => {
    const bytes = Array.from({ length: 500 }, madeUp).join('')
    await Promise.all(Array.from({ length: 5 }, () => keepWriting(stage, bytes)))
  },
  'probes, pipelined over five connections': async (stage: AttackStage) => {
    await Promise.all(
      Array.from({ length: 5 }, () => keepWriting(stage, toBytes('GET', '/ready').repeat(500))),
    )
  },
}
