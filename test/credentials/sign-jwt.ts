import { type JWTPayload, SignJWT } from 'jose'
import type { TestApp } from '../http/edge/start-app.ts'

export const secret = 'a secret of more than thirty-two bytes, for tests'
export const claims = { sub: '7', account: 'acme', email: 'ann@example.com', name: 'Ann' }

export const soon = () => Math.floor(Date.now() / 1_000) + 60

/** Signs a JWT with a secret. It expires after a minute unless `exp` is given; null means no `exp`. */
export function signHmac(
  payload: JWTPayload,
  { alg = 'HS256', key = secret, exp = soon() as number | null } = {},
) {
  const jwt = new SignJWT(payload).setProtectedHeader({ alg })
  return (exp === null ? jwt : jwt.setExpirationTime(exp)).sign(new TextEncoder().encode(key))
}

/** The viewer that the gateway sees for this token, or its refusal. */
export async function askViewer(app: TestApp, token: string) {
  const { status, headers, body } = await app.graphql(
    '{ viewer { accountCode userId email scopes } }',
    {},
    token,
  )
  return {
    status,
    challenge: headers.get('www-authenticate'),
    viewer: body.data?.viewer,
    error: body.errors?.[0],
  }
}
