import fc from 'fast-check'
import { toBytes, type WireRequest } from './wire-request.ts'

const json = (method: string, target: string, body: unknown, chunked = false): WireRequest => ({
  method,
  target,
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from(JSON.stringify(body)),
  chunked,
})
const get = (target: string): WireRequest => ({ method: 'GET', target, headers: [], body: null })
const pair = { team_membership: { user_id: 1, team_id: 1 } }

const whole = fc.constantFrom<WireRequest>(
  get('/health'),
  get('/platform/team_memberships/1'),
  get('/platform/team_memberships?ids[]=1&ids[]=2'),
  get('/graphql?query={viewer{scopes}}'),
  json('POST', '/platform/team_memberships', pair),
  json('PUT', '/platform/team_memberships/1', pair, true),
  json('PUT', '/platform/users/1', { user: { email: null } }, true),
  json('POST', '/graphql', { query: '{ viewer { accountCode } }' }),
  json('POST', '/api/1/endpoint/execute', { name: 'a' }),
)

// What splits, hides or lengthens requests where parsers differ.
const fragment = fc.constantFrom(
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    '\x0b',
    '\x85',
    '\xff',
    '%',
    '#',
    '0\r\n\r\n',
    '5;x=y\r\n',
  ],
  ...['Content-Length: 5\r\n', 'Content-Length: -1\r\n', 'Content-Length: 1e9\r\n', 'Content-Length : 0\r\n'],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: xchunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
  ],
  ...[
    'Host: b\r\n',
    'Authorization: Bearer x\r\n',
    'Expect: 100-continue\r\n',
    'Connection: Upgrade\r\nUpgrade: h2c\r\n',
  ],
  ...[
    'HTTP/1.0',
    'HTTP/2.0',
    'HTTP/0.9',
    ' HTTP/1.1',
    'GET / HTTP/1.1\r\n',
    'ffffffffffffffff\r\n',
    '\r\n folded',
  ],
  ...[
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
  ],
)

interface Damage {
  readonly at: number
  readonly cut: number
  readonly insert: string
}

const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(900),
  cut: fc.constantFrom(0, 0, 0, 1, 2, 7, 2_000),
  insert: fc.oneof(fragment, fragment, fc.string({ maxLength: 3, unit: 'binary-ascii' })),
})

export interface ByteCase {
  readonly requests: readonly WireRequest[]
  readonly damages: readonly Damage[]
}

/** Consecutive requests on one connection, with some bytes changed. */
export const byteCase: fc.Arbitrary<ByteCase> = fc.record({
  requests: fc.array(whole, { minLength: 1, maxLength: 3 }),
  damages: fc.array(damage, { maxLength: 3 }),
})

export function toDamagedBytes({ requests, damages }: ByteCase, token: string): Buffer {
  const authorization = ['Authorization', `Bearer ${token}`] as const
  const bytes = requests.map(request => toBytes({ ...request, headers: [authorization, ...request.headers] }))
  return damages.reduce((given, { at, cut, insert }) => {
    const place = at % (given.length + 1)
    return Buffer.concat([
      given.subarray(0, place),
      Buffer.from(insert, 'latin1'),
      given.subarray(place + cut),
    ])
  }, Buffer.concat(bytes))
}
