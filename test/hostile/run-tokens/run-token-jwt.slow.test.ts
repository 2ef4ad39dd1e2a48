import { setTimeout as sleep } from 'node:timers/promises'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestServer } from '../../server/gateways/start-server.ts'
import { type HeldStage, startHeldStage, view } from '../running-scripts/held-runs.ts'

const jwtSecret = 'a-secret-of-the-tests-with-enough-length'
const call = 'graphql("{ viewer { accountCode } }")'
const first = `await ${call}`
const last = `exit(await ${call}.then(() => "read", error => error.message))`

let stage: HeldStage
let holder: HeldStage['holder']
let server: TestServer

beforeAll(async () => {
  stage = await startHeldStage({ ROSTRUM_JWT_SECRET: jwtSecret })
  holder = stage.holder
  server = stage.server
})
afterAll(() => stage.stop())

test('a JWT whose time is over during its run carries the token of the run no further', async () => {
  // Five seconds of tolerance for clocks that differ; two of them are left.
  const credential = await new SignJWT({ sub: '7', account: 'delta' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(Math.floor(Date.now() / 1_000) - 2)
    .sign(new TextEncoder().encode(jwtSecret))
  const { token, release, answer } = await holder.hold(server, { credential, first, last })
  expect((await view(server, token)).status).toBe(200)
  await sleep(4_000)
  const late = await view(server, token)
  expect([late.status, late.text]).toEqual([401, expect.stringContaining('expired')])
  release()
  expect((await answer).body.task_execution.payload).toContain('expired')
})
