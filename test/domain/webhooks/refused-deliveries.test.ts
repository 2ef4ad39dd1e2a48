import { expect, test } from 'vitest'
import { RefusedDeliveries } from '../../../src/domain/webhooks/refused-deliveries.ts'
import type { Webhook } from '../../../src/domain/webhooks/webhook-store.ts'

const webhookOf = (id: number): Webhook => ({
  id,
  name: `w${id}`,
  functionId: 1,
  verification: 'standard',
  header: null,
  headers: [],
  mode: 'queued',
  scopes: [],
  enabled: true,
})

function startLog() {
  const lines: object[] = []
  const clock = { ms: 0 }
  const refused = new RefusedDeliveries({
    onRefused: line => void lines.push(line),
    onLeftOut: line => void lines.push(line),
    readMs: () => clock.ms,
  })
  return { refused, clock, takeLines: () => lines.splice(0) }
}

const first = { account: 'a', webhook: 'w1', webhookId: 1 }

test('a webhook has ten lines a minute; the rest of the minute is one count', () => {
  const { refused, clock, takeLines } = startLog()
  for (let count = 0; count < 25; count++) refused.add('a', webhookOf(1), 'bad signature')
  expect(takeLines()).toEqual(Array(10).fill({ ...first, reason: 'bad signature' }))
  refused.report()
  expect(takeLines()).toEqual([])
  clock.ms = 60_000
  refused.add('a', webhookOf(1), 'disabled')
  const leftOut = { ...first, leftOut: 15, minute: '1970-01-01T00:00:00.000Z' }
  expect(takeLines()).toEqual([leftOut, { ...first, reason: 'disabled' }])
  clock.ms = 120_000
  refused.report()
  refused.reportAll()
  expect(takeLines()).toEqual([])
})

test('what was left out is reported without another refusal, and at the end', () => {
  const { refused, clock, takeLines } = startLog()
  for (let count = 0; count < 11; count++) refused.add('a', webhookOf(1), 'no signature')
  takeLines()
  clock.ms = 61_000
  refused.report()
  expect(takeLines()).toMatchObject([{ leftOut: 1 }])
  for (let count = 0; count < 12; count++) refused.add('a', webhookOf(1), 'no signature')
  takeLines()
  refused.reportAll()
  expect(takeLines()).toMatchObject([{ leftOut: 2 }])
})

test('webhooks and accounts are counted apart', () => {
  const { refused, takeLines } = startLog()
  for (let count = 0; count < 11; count++) {
    refused.add('a', webhookOf(1), 'bad signature')
    refused.add('a', webhookOf(2), 'bad signature')
    refused.add('b', webhookOf(1), 'bad signature')
  }
  expect(takeLines()).toHaveLength(30)
})

test('past ten thousand webhooks in a minute, the others share ten lines and one count', () => {
  const { refused, takeLines } = startLog()
  for (let id = 1; id <= 10_500; id++) refused.add('a', webhookOf(id), 'bad signature')
  expect(takeLines()).toHaveLength(10_010)
  refused.add('a', webhookOf(1), 'bad signature')
  expect(takeLines()).toEqual([{ ...first, reason: 'bad signature' }])
  refused.reportAll()
  expect(takeLines()).toMatchObject([{ account: '(others)', webhook: '(others)', leftOut: 490 }])
})
