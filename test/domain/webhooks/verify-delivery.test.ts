import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  type Delivery,
  type Verification,
  verifyDelivery,
} from '../../../src/domain/webhooks/verify-delivery.ts'
import { signStandard } from '../../server/webhooks.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const refused = { kind: 'refused' }

function deliveryOf(headers: Readonly<Record<string, string>>, body: string | Buffer = ''): Delivery {
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
    expect(verify(headers, `${body} `, { secrets: [secret] })).toEqual(refused)
  })

  test('agrees with `standardwebhooks` about what we sign', () => {
    const headers = signStandard({ secret, body, id: 'msg_2' })
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(verify(headers, body, { secrets: [secret] })).toMatchObject({ kind: 'verified' })
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow()
    expect(verify(headers, body, { secrets: [newSecret()] })).toEqual(refused)
  })

  test('accepts one of several signatures, of any live secret', () => {
    const [old, fresh, other] = [newSecret(), newSecret(), newSecret()]
    const signed = [other, old].map(key => signStandard({ secret: key, body, id: 'm', timestamp: 1_000 }))
    const list = signed.map(headers => headers['webhook-signature'])
    const headers = { ...signStandard({ secret: old, body, id: 'm', timestamp: 1_000 }) }
    headers['webhook-signature'] = ['v1a,c2lnbmF0dXJl', 'v1,', ...list, 'x'].join(' ')
    const at = { nowMs: 1_000_000 }
    expect(verify(headers, body, { secrets: [fresh, old], ...at })).toMatchObject({ kind: 'verified' })
    expect(verify(headers, body, { secrets: [fresh], ...at })).toEqual(refused)
    expect(verify(headers, body, { secrets: [], ...at })).toEqual(refused)
  })

  test.each([
    [-300, 'verified'],
    [300, 'verified'],
    [-301, 'refused'],
    [301, 'refused'],
  ])('a timestamp %i s from now is %s', (offset, kind) => {
    const headers = signStandard({ secret, body, timestamp: 10_000 + offset })
    expect(verify(headers, body, { secrets: [secret], nowMs: 10_000_000 })).toMatchObject({ kind })
  })

  test.each([
    ['webhook-id', ''],
    ['webhook-timestamp', ''],
    ['webhook-timestamp', '1e9'],
    ['webhook-timestamp', ' 1'],
    ['webhook-timestamp', '-1'],
    ['webhook-timestamp', '99999999999999999999'],
    ['webhook-signature', ''],
    ['webhook-signature', 'v1'],
    ['webhook-signature', 'v1, v1,=='],
  ])('refuses %s %j, even if it is signed', (name, value) => {
    const at = name === 'webhook-timestamp' ? value : '1'
    const signed = new Webhook(secret).sign('m', new Date(1_000), body)
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': at, 'webhook-signature': signed, [name]: value }
    expect(verify(headers, body, { secrets: [secret], nowMs: 1_000 })).toEqual(refused)
  })

  test('refuses a delivery without headers, and bytes that are no text', () => {
    expect(verify({}, '', { secrets: [secret] })).toEqual(refused)
    const bytes = Buffer.from([0, 255, 254])
    expect(verify(signStandard({ secret, body: 'x' }), bytes, { secrets: [secret] })).toEqual(refused)
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
    expect(verify({ 'x-hub-signature-256': signature }, body, github)).toEqual(refused)
    const headers = { 'x-hub-signature-256': signature, 'x-github-delivery': '' }
    expect(verify(headers, body, github)).toEqual(refused)
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
    expect(verify({ ...id, 'x-hub-signature-256': sent }, text, github)).toEqual(refused)
    expect(verify({ ...id, 'x-hub-signature': sent }, text, github)).toEqual(refused)
  })
})

describe('SECRET', () => {
  const given = { verification: 'secret', header: 'x-secret', secrets: ['whsec_a', 'whsec_b'] } as const

  test('accepts any live secret in its header', () => {
    expect(verify({ 'x-secret': 'whsec_b' }, 'x', given)).toEqual({ kind: 'verified', messageId: null })
  })

  test.each(['', 'whsec_', 'whsec_a ', 'whsec_a, whsec_a', 'WHSEC_A', 'ÿ'])('refuses %j', sent => {
    expect(verify({ 'x-secret': sent }, 'x', given)).toEqual(refused)
    expect(verify({ 'x-other': 'whsec_a' }, 'x', given)).toEqual(refused)
    expect(verify({ 'x-secret': '' }, 'x', { ...given, secrets: [] })).toEqual(refused)
  })
})
