import { type AttackStage, execute, executeAliased, keepPosting, postMany } from './send.ts'

/** What one caller can make the gateway hold. Held bodies and unread answers have files of their own. */
export const memoryAttacks = {
  'answers multiplied by aliases': (stage: AttackStage) => {
    const body = executeAliased(
      'const a=Array(250).fill(1); for(let i=0;i<520;i++) log(...a); exit(1)',
      'logs{data}',
      100,
    )
    return keepPosting(stage, 10, () => ({ body }))
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
