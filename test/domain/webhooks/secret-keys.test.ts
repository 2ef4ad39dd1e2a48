import { expect, test } from 'vitest'
import { createSecretKeys } from '../../../src/domain/webhooks/secret-keys.ts'

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const place = { accountCode: 'demo', webhookId: 1, secretId: 2 }
const secret = 'whsec_c2VjcmV0'

test('a sealed secret opens with its key at its place, and shows nothing of itself', () => {
  const keys = createSecretKeys([first])
  const sealed = keys.seal(secret, place)
  expect(keys.open(sealed, place)).toBe(secret)
  expect(sealed.sealed.includes('whsec')).toBe(false)
  expect(keys.seal(secret, place).sealed.equals(sealed.sealed)).toBe(false)
  expect(sealed.keyId).toMatch(/^[0-9a-f]{16}$/)
})

test('a secret that was moved, changed or cut does not open', () => {
  const keys = createSecretKeys([first])
  const { keyId, sealed } = keys.seal(secret, place)
  for (const other of [{ accountCode: 'beta' }, { webhookId: 2 }, { secretId: 1 }]) {
    expect(keys.open({ keyId, sealed }, { ...place, ...other })).toBeNull()
  }
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(keys.open({ keyId, sealed: changed }, place)).toBeNull()
    expect(keys.open({ keyId, sealed: sealed.subarray(0, at) }, place)).toBeNull()
  }
})

test('the first key seals, and each key opens what it sealed', () => {
  const old = createSecretKeys([first]).seal(secret, place)
  const rotated = createSecretKeys([second, first])
  expect(rotated.open(old, place)).toBe(secret)
  const fresh = rotated.seal(secret, place)
  expect(createSecretKeys([second]).open(fresh, place)).toBe(secret)
  expect(createSecretKeys([second]).open(old, place)).toBeNull()
})
