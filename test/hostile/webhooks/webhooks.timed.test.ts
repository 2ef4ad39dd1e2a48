import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { signStandard } from '../../server/clients/webhooks.ts'
import { startRefusals } from './webhook-refusals.ts'
import { startWebhookStage, type WebhookStage } from './webhook-stage.ts'

let stage: WebhookStage
beforeAll(async () => {
  stage = await startWebhookStage()
})
afterAll(() => stage.app.close())

test('a flood of deliveries to one unknown name asks the store once a second', async () => {
  const flood = () =>
    Promise.all(Array.from({ length: 200 }, () => stage.send('/api/1/webhook/demo/nothing')))
  // Those that come before the first look-up has ended look up too.
  await stage.send('/api/1/webhook/demo/nothing')
  const started = performance.now()
  const asked = await stage.statementsOf(flood)
  expect(asked.length).toBeLessThanOrEqual(Math.ceil((performance.now() - started) / 1_000))
})

test('300 senders that stall in their bodies do not keep a signed delivery waiting', async () => {
  const { sendSigned } = stage
  const stalled = stage.stallSenders(300)
  const started = performance.now()
  for (let count = 0; count < 10; count++) expect((await sendSigned()).status).toBe(200)
  expect(performance.now() - started).toBeLessThan(8_000)
  for (const socket of stalled) socket.destroy()
})

test('headers with hundreds of wrong signatures are refused in time', async () => {
  const { path, secret, send } = stage
  const signed = signStandard({ secret, body: '' })
  const list = Array.from({ length: 300 }, () => signed['webhook-signature']).join(' ')
  const started = performance.now()
  expect((await send(path, { ...signed, 'webhook-signature': list })).status).toBe(401)
  expect(performance.now() - started).toBeLessThan(1_000)
})

test('on PostgreSQL, refusals of every kind take the same time', async () => {
  const { app, kinds } = await startRefusals('PostgreSQL')
  onTestFinished(() => app.close())
  const all = Object.entries(kinds).map(([kind, send]) => ({ kind, send, times: [] as number[] }))
  for (let round = 0; round < 90; round++) {
    // Another order each time, because other work of the machine may be periodic.
    for (const { send, times } of [...all.slice(round % all.length), ...all.slice(0, round % all.length)]) {
      const started = performance.now()
      await send('{}')
      times.push(performance.now() - started)
    }
  }
  const medians = all.map(({ times }) => times.toSorted((a, b) => a - b)[times.length / 2] ?? 0)
  console.log(Object.fromEntries(all.map(({ kind }, index) => [kind, medians[index]])))
  expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(1.6)
})
