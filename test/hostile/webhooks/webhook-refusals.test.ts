import { expect, onTestFinished, test } from 'vitest'
import { startRefusals } from './webhook-refusals.ts'

test.each([
  { engine: 'SQLite', statements: [1, 0, 0] },
  { engine: 'PostgreSQL', statements: [1, 1, 1] },
] as const)('on $engine, a refusal of any kind costs the same statements: $statements', async given => {
  const { app, kinds, statementsOf, forgetLookUps } = await startRefusals(given.engine)
  onTestFinished(() => app.close())
  const texts = new Set<string>()
  const counts: Record<string, number[]> = {}
  for (const [kind, send] of Object.entries(kinds)) {
    // The look-ups of another kind may have cached this webhook.
    await forgetLookUps()
    counts[kind] = []
    for (const _ of given.statements) {
      const asked = await statementsOf(async () => expect((await send('{}')).status).toBe(401))
      counts[kind].push(asked.length)
      for (const text of asked) texts.add(text.replace(/'[^']*'/g, '?'))
    }
  }
  const expected = Object.keys(kinds).map(kind => [kind, given.statements])
  expect(counts).toEqual(Object.fromEntries(expected))
  expect(texts.size).toBe(1)
})
