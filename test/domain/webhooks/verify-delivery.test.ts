import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  type ReceivedDelivery,
  type RefusalReason,
  type Verification,
  verifyDelivery,
} from '../../../src/domain/webhooks/verify-delivery.ts'
import { signStandard, signSvix } from '../../server/clients/webhooks.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const refuse = (reason: RefusalReason) => ({ kind: 'refused', reason })

function deliveryOf(headers: Readonly<Record<string, string>>, body: string | Buffer = ''): ReceivedDelivery {
  return { header: name => headers[name], body: Buffer.from(body) }
}

function verify(
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  given: Partial<Verification>,
) {
  const usual = { verification: 'standard', header: null, secrets: [], nowMs: Date.now() } as const
  return verifyDelivery(deliveryOf(headers, body), { ...usual, ...given })
}

describe('STANDARD', () => {
  const secret = newSecret()
  const body = '{"type":"a","ü":"🔑"}'

  test('accepts what `standardwebhooks` signs', () => {
    const at = new Date()
    const signature = new Webhook(secret).sign('msg_1', at, body)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signature,
    }
    expect(verify(headers, body, { secrets: [secret] })).toEqual({ kind: 'verified', messageId: 'msg_1' })
    expect(verify(headers, `${body} `, { secrets: [secret] })).toEqual(refuse('bad signature'))
  })

  test('agrees with `standardwebhooks` about what we sign', () => {
    const headers = signStandard({ secret, body, id: 'msg_2' })
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(verify(headers, body, { secrets: [secret] })).toMatchObject({ kind: 'verified' })
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow()
    expect(verify(headers, body, { secrets: [newSecret()] })).toEqual(refuse('bad signature'))
  })

  test('accepts one of several signatures, of any live secret', () => {
    const [old, fresh, other] = [newSecret(), newSecret(), newSecret()]
    const signed = [other, old].map(key => signStandard({ secret: key, body, id: 'm', timestamp: 1_000 }))
    const list = signed.map(headers => headers['webhook-signature'])
    const headers = { ...signStandard({ secret: old, body, id: 'm', timestamp: 1_000 }) }
    headers['webhook-signature'] = ['v1a,c2lnbmF0dXJl', 'v1,', ...list, 'x'].join(' ')
    const at = { nowMs: 1_000_000 }
    expect(verify(headers, body, { secrets: [fresh, old], ...at })).toMatchObject({ kind: 'verified' })
    expect(verify(headers, body, { secrets: [fresh], ...at })).toEqual(refuse('bad signature'))
    expect(verify(headers, body, { secrets: [], ...at })).toEqual(refuse('no readable secret'))
  })

  test.each([
    [-300, 'verified'],
    [300, 'verified'],
  ])('a timestamp %i s from now is %s', (offset, kind) => {
    const headers = signStandard({ secret, body, timestamp: 10_000 + offset })
    expect(verify(headers, body, { secrets: [secret], nowMs: 10_000_000 })).toMatchObject({ kind })
  })

  test.each([
    ['301 s ago', 9_699, 'old timestamp'],
    ['in 301 s', 10_301, 'future timestamp'],
    ['in milliseconds', 10_000_000, 'future timestamp'],
  ] as const)('a timestamp %s is refused, and the reason says so', (_, timestamp, reason) => {
    const headers = signStandard({ secret, body, timestamp })
    expect(verify(headers, body, { secrets: [secret], nowMs: 10_000_000 })).toEqual(refuse(reason))
  })

  test.each([
    ['webhook-id', '', 'no message id'],
    ['webhook-timestamp', '', 'no timestamp'],
    ['webhook-timestamp', '1e9', 'no timestamp'],
    ['webhook-timestamp', ' 1', 'no timestamp'],
    ['webhook-timestamp', '-1', 'no timestamp'],
    ['webhook-timestamp', '99999999999999999999', 'future timestamp'],
    ['webhook-signature', '', 'no signature'],
    ['webhook-signature', 'v1', 'bad signature'],
    ['webhook-signature', 'v1, v1,==', 'bad signature'],
  ] as const)('refuses %s %j, even if it is signed: %s', (name, value, reason) => {
    const signed = { 'webhook-id': 'm', 'webhook-timestamp': '1', [name]: value }
    const content = `${signed['webhook-id']}.${signed['webhook-timestamp']}.${body}`
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`
    const headers = { 'webhook-signature': signature, ...signed }
    expect(verify(headers, body, { secrets: [secret], nowMs: 1_000 })).toEqual(refuse(reason))
  })

  test('refuses a delivery without headers, and bytes that are no text', () => {
    expect(verify({}, '', { secrets: [secret] })).toEqual(refuse('no signature'))
    const bytes = Buffer.from([0, 255, 254])
    expect(verify(signStandard({ secret, body: 'x' }), bytes, { secrets: [secret] })).toEqual(
      refuse('bad signature'),
    )
  })

  test('accepts what Svix signs, and never a mixture with the other headers', () => {
    const headers = signSvix({ secret, body, id: 'msg_3' })
    expect(verify(headers, body, { secrets: [secret] })).toEqual({ kind: 'verified', messageId: 'msg_3' })
    expect(verify(headers, `${body} `, { secrets: [secret] })).toEqual(refuse('bad signature'))
    const { 'svix-id': _, ...withoutId } = headers
    const mixed = { ...withoutId, 'webhook-id': 'msg_3' }
    expect(verify(mixed, body, { secrets: [secret] })).toEqual(refuse('bad signature'))
    const other = { ...headers, ...signStandard({ secret: newSecret(), body }) }
    expect(verify(other, body, { secrets: [secret] })).toEqual(refuse('bad signature'))
    const old = signSvix({ secret, body, timestamp: 1 })
    expect(verify(old, body, { secrets: [secret] })).toEqual(refuse('old timestamp'))
  })

  const keyOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`

  test.each([
    ['an empty key', 'whsec_', Buffer.alloc(0)],
    ['a text that decodes to nothing', '!!!!!!!!!!!!!!!!!!', Buffer.alloc(0)],
    ['a weak text', 'whsec_AAAA', Buffer.from('AAAA', 'base64')],
    ['the bytes behind another prefix', 'secret'.padEnd(50, 'A'), Buffer.from('A'.repeat(44), 'base64')],
    ['the text itself', 'hunter2hunter2hunter2', Buffer.from('hunter2hunter2hunter2')],
  ])('takes no secret of another verification: signed with %s', (_, kept, key) => {
    const signature = createHmac('sha256', key).update(`m.1.${body}`).digest('base64')
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': '1', 'webhook-signature': `v1,${signature}` }
    const given = { secrets: [kept], nowMs: 1_000 }
    expect(verify(headers, body, given)).toEqual(refuse('no readable secret'))
    const own = { ...given, secrets: [kept, secret] }
    expect(verify(headers, body, own)).toEqual(refuse('bad signature'))
    expect(verify(signStandard({ secret, body, timestamp: 1 }), body, own).kind).toBe('verified')
  })

  test.each([24, 64])('takes a key of %i bytes', bytes => {
    const own = keyOf(bytes)
    expect(verify(signStandard({ secret: own, body }), body, { secrets: [own] }).kind).toBe('verified')
  })

  test.each([23, 65])('takes no key of %i bytes', bytes => {
    const own = keyOf(bytes)
    expect(verify(signStandard({ secret: own, body }), body, { secrets: [own] }).kind).toBe('refused')
  })
})

describe('GITHUB', () => {
  // The example of "Validating webhook deliveries" in GitHub's docs.
  const secret = "It's a Secret to Everybody"
  const body = 'Hello, World!'
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  const github = { verification: 'github', secrets: [secret] } as const

  test('accepts the example of its docs', () => {
    const headers = {
      'x-hub-signature-256': signature,
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    }
    expect(verify(headers, body, github)).toEqual({
      kind: 'verified',
      messageId: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    })
  })

  test('refuses a delivery without `X-GitHub-Delivery`, which GitHub always sends', () => {
    expect(verify({ 'x-hub-signature-256': signature }, body, github)).toEqual(refuse('no message id'))
    const headers = { 'x-hub-signature-256': signature, 'x-github-delivery': '' }
    expect(verify(headers, body, github)).toEqual(refuse('no message id'))
  })

  test.each([
    ['another body', signature, 'Hello, World'],
    ['upper case', signature.toUpperCase(), body],
    ['no algorithm', signature.slice('sha256='.length), body],
    ['two signatures', `${signature}, ${signature}`, body],
    ['an empty signature', 'sha256=', body],
    ['SHA-1 of old deliveries', 'sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59', body],
  ])('refuses %s', (_, sent, text) => {
    const id = { 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' }
    expect(verify({ ...id, 'x-hub-signature-256': sent }, text, github)).toEqual(refuse('bad signature'))
    expect(verify({ ...id, 'x-hub-signature': sent }, text, github)).toEqual(refuse('no signature'))
  })
})

describe('SECRET', () => {
  const given = { verification: 'secret', header: 'x-secret', secrets: ['whsec_a', 'whsec_b'] } as const

  test('accepts any live secret in its header', () => {
    expect(verify({ 'x-secret': 'whsec_b' }, 'x', given)).toEqual({ kind: 'verified', messageId: null })
  })

  test.each(['', 'whsec_', 'whsec_a ', 'whsec_a, whsec_a', 'WHSEC_A', 'ÿ'])('refuses %j', sent => {
    const reason = sent === '' ? 'no signature' : 'bad signature'
    expect(verify({ 'x-secret': sent }, 'x', given)).toEqual(refuse(reason))
    expect(verify({ 'x-other': 'whsec_a' }, 'x', given)).toEqual(refuse('no signature'))
    expect(verify({ 'x-secret': '' }, 'x', { ...given, secrets: [] })).toEqual(refuse('no readable secret'))
  })
})
