import { beforeEach, expect, test } from 'vitest'
import { createKeyedRequests, findKeyLimits } from '../../../src/domain/idempotency/keyed-requests.ts'
import type { Store } from '../../../src/domain/store.ts'
import { createMessageRuns } from '../../../src/domain/webhooks/message-runs.ts'
import { eachStore } from '../../store/databases/each-store.ts'

// Its half and its three quarters are no whole numbers.
const accountBytes = 1_000_001

eachStore(harness => {
  let store: Store
  beforeEach(async () => {
    store = await harness.open({ url: await harness.freshUrl() })
  })

  const { signal } = new AbortController()

  test('an answer is stored under an odd maximum of bytes', async () => {
    const keys = createKeyedRequests(store.idempotency, findKeyLimits(accountBytes))
    const facts = { accountCode: 'a', key: 'k', fingerprint: Buffer.alloc(32, 1), isRepeatable: true }
    const request = { ...facts, span: null, beginWaiting: () => signal }
    const begun = await keys.begin(request)
    if (begun.kind !== 'attempt') return expect.unreachable()
    await begun.storeAnswer({ whole: Buffer.from('whole'), withoutBody: Buffer.from(' ') })
    expect(await keys.begin(request)).toEqual({ kind: 'answered', answer: Buffer.from('whole') })
  })

  test('a message is run and its answer stored under an odd maximum of bytes', async () => {
    const messages = createMessageRuns({
      idempotency: store.idempotency,
      webhooks: store.webhooks,
      accountBytes,
    })
    const message = { accountCode: 'a', webhookId: 1, messageId: 'm', span: null, signal }
    const run = async () => ({ result: 'ran', answer: '{"a":1}' })
    expect(await messages.runOnce(message, run)).toEqual({ kind: 'ran', result: 'ran' })
    expect(await messages.runOnce(message, run)).toEqual({ kind: 'replayed', answer: '{"a":1}' })
  })
})
