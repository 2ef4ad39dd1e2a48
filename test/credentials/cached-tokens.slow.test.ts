import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

async function countLookUps(work: () => Promise<unknown>): Promise<number> {
  app.statements.length = 0
  await work()
  return app.statements.filter(statement => statement.includes('from "api_tokens"')).length
}

test('an unknown token is looked up once a second', async () => {
  const looks = await countLookUps(async () => {
    for (let n = 0; n < 5; n++)
      expect((await app.graphql('{ viewer { email } }', {}, 'made-up')).status).toBe(401)
  })
  expect(looks).toBe(1)
  await sleep(1_100)
  expect(await countLookUps(() => app.graphql('{ viewer { email } }', {}, 'made-up'))).toBe(1)
})
