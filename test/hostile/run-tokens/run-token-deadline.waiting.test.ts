import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../../server/gateways/start-server.ts'
import { type HeldStage, startHeldStage, view } from '../running-scripts/held-runs.ts'

const timeoutMs = 2_500

let stage: HeldStage
let holder: HeldStage['holder']
let server: TestServer

beforeAll(async () => {
  stage = await startHeldStage({ ROSTRUM_TASK_TIMEOUT_MS: String(timeoutMs), ROSTRUM_SANDBOXES: '4' })
  holder = stage.holder
  server = stage.server
})
afterAll(() => stage.stop())

const status = async (token: string) => (await view(server, token)).status

describe('the token of a run ends with the run’s time', () => {
  test('while it waits', async () => {
    const { token, answer } = await holder.hold(server)
    expect(await status(token)).toBe(200)
    expect((await answer).body.task_execution.error?.code).toBe('TIMEOUT')
    expect(await status(token)).toBe(401)
  })

  test('and a run inside it does not outlive the deadline of the outer one', async () => {
    const startedAt = performance.now()
    const outer = await holder.hold(server)
    await sleep(timeoutMs / 2)
    const inner = await holder.hold(server, { credential: outer.token })
    const ended = await Promise.all([outer.answer, inner.answer])
    expect(performance.now() - startedAt).toBeLessThan(timeoutMs + 1_000)
    expect(ended.map(each => each.status)).toEqual([422, 422])
    expect(await Promise.all([status(outer.token), status(inner.token)])).toEqual([401, 401])
  })
})
