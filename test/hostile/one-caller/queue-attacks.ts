import { type AttackStage, execute, fillAccount, keepPosting, keepPostingUntil, postMany } from './send.ts'

const pages = Array.from(
  { length: 45 },
  (_, index) => `a${index}:teamMembershipEvents(first:100,after:null){nodes{cursor kind}} `,
).join('')

/** What one caller can take of what all share: places in the queue, sandboxes, connections to the database. */
export const queueAttacks = {
  'a queue that four accounts fill': (stage: AttackStage) =>
    keepPosting(stage, 280, index => ({
      ...execute('const end = Date.now() + 150; while (Date.now() < end); exit(1)'),
      token: stage.tokens[index % 4],
    })),

  // The first ones end by their deadline, and the next ones take their sandboxes.
  'runs that wait for a silent host': (stage: AttackStage) =>
    keepPostingUntil(stage, 40, () => execute(`await graphql('{a}', {}, '${stage.silentUrl}'); exit(1)`)),

  'runs of one account that never end': (stage: AttackStage) =>
    keepPostingUntil(stage, 60, () => execute('for(;;);')),

  'reads of 45 pages': async (stage: AttackStage) => {
    const query = `{${pages}}`
    await fillAccount(stage)
    return [
      await postMany(stage, 20, () => ({ body: { query } })),
      await postMany(stage, 150, () => ({ body: { query } })),
    ]
  },
}
