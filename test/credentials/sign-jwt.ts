import { type JWTPayload, SignJWT } from 'jose'
import type { TestApp } from '../http/start-app.ts'

export const secret = 'a secret of more than thirty-two bytes, for tests'
export const claims = { sub: '7', account: 'acme', email: 'ann@example.com', name: 'Ann' }

export const soon = () => Math.floor(Date.now() / 1_000) + 60

/** A JWT of these claims, signed with a secret; good for a minute unless `exp` says otherwise (null: no `exp`). */
export function signHmac(
  payload: JWTPayload,
  { alg = 'HS256', key = secret, exp = soon() as number | null } = {},
) {
  const jwt = new SignJWT(payload).setProtectedHeader({ alg })
  return (exp === null ? jwt : jwt.setExpirationTime(exp)).sign(new TextEncoder().encode(key))
}

/** Who the gateway takes the bearer of this token for, or how it refuses. */
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
