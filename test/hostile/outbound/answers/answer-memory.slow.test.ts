import { afterAll, beforeAll, expect, test } from 'vitest'
import { contents } from './answer-contents.ts'
import { framings } from './answer-framings.ts'
import { type AnswerStage, startAnswerStage } from './answer-stage.ts'
import { statuses } from './answer-statuses.ts'

let stage: AnswerStage

beforeAll(async () => {
  stage = await startAnswerStage()
})
afterAll(() => stage.stop())

test.each([...statuses, ...framings.filter(({ gives }) => gives !== 'waits'), ...contents])(
  '$title: the gateway grows by less than 80 MiB',
  async answer => {
    const before = await stage.server.observe()
    expect((await stage.ask(answer)).error).toBe(null)
    const after = await stage.server.observe()
    expect(after.residentBytes - before.residentBytes).toBeLessThan(80 * 2 ** 20)
  },
)
