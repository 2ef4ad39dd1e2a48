import { expect, test } from 'vitest'
import { isCredentialHeader } from '../../../src/domain/webhooks/credential-headers.ts'

test.each([
  'authorization',
  'proxy-authorization',
  'x-authentication',
  'cookie',
  'set-cookie',
  'x-api-key',
  'paypal-transmission-sig',
  'api-key',
  'apikey',
  'x-apikey',
  'x_api_key',
  'x-access-key',
  'x-auth-key',
  'x-auth-token',
  'x-gitlab-token',
  'x-amz-security-token',
  'x-csrf-token',
  'token',
  'x-client-secret',
  'x-goog-iap-jwt-assertion',
  'webhook-signature',
  'stripe-signature',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-shopify-hmac-sha256',
  'x-signature-ed25519',
  'x-password',
])('%s carries a credential', name => {
  expect(isCredentialHeader(name)).toBe(true)
})

test.each([
  'x-github-event',
  'x-github-delivery',
  'x-github-hook-id',
  'webhook-id',
  'webhook-timestamp',
  'idempotency-key',
  'x-key',
  'x-tokens-left',
  'x-author',
  'user-agent',
  'accept',
  'x-request-id',
  'x-secretary',
])('%s does not', name => {
  expect(isCredentialHeader(name)).toBe(false)
})
