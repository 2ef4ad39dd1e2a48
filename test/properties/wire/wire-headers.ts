import fc from 'fast-check'

type Header = readonly [name: string, value: string]

/** Who asks. `good` may read, write and run; `idle` belongs to the same account and may nothing. */
export type Credential = 'good' | 'idle' | 'none' | 'bad'

export const credential: fc.Arbitrary<Credential> = fc.oneof(
  { weight: 30, arbitrary: fc.constant<Credential>('good') },
  { weight: 1, arbitrary: fc.constantFrom<Credential>('idle', 'none', 'bad') },
)

const badCredentials = [
  'Bearer',
  'Bearer ',
  'Basic YWRtaW46YWRtaW4=',
  'Bearer a b',
  'Bearer undefined',
  'Bearer rrun_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiI3IiwiYWNjb3VudCI6ImIifQ.',
  'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.AAAA',
  'Bearer eyJ..',
  `Bearer ${'x'.repeat(9_000)}`,
  'Bearer \xe9\xff',
  'Bearer __proto__',
] as const

/** A header `Authorization` that names nobody. */
export const badCredential = fc.constantFrom(...badCredentials)

export const entityTag = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }).map(version => `"${version}"`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '*',
      ' * ',
      'W/"1"',
      '"0"',
      '"01"',
      '1',
      '""',
      '"1", "2"',
      '"1","2",,',
      '"99999999999999999999"',
      '"2147483648"',
      '"1" "2"',
      '*, "1"',
      ',',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 10 }).map(toHeaderValue) },
)

// Of the kind that a proxy, a browser or an attacker adds; none may change an answer's shape.
const oddHeader: fc.Arbitrary<Header> = fc.oneof(
  fc.constantFrom<Header[]>(
    ['Origin', 'https://evil.example'],
    ['Cookie', 'session=1; __proto__=2'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-Host', 'evil.example'],
    ['X-Original-URL', '/health'],
    ['X-Request-Id', 'mine\tand yours'],
    ['Accept', 'text/html'],
    ['Accept', ''],
    ['Accept-Version', '1.x'],
    ['Accept-Encoding', 'gzip, br'],
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', 'identity'],
    ['If-None-Match', '*'],
    ['If-Modified-Since', 'now'],
    ['Range', 'bytes=0-0'],
    ['TE', 'trailers'],
    ['Upgrade', 'h2c'],
    ['Upgrade', 'websocket'],
    ['Expect', '200-ok'],
    ['Expect', '100-continue'],
    ['Connection', 'close'],
    ['Connection', 'keep-alive, Authorization'],
    ['Prefer', 'return=minimal'],
    ['__proto__', 'x'],
    ['constructor', 'x'],
    ['X-Long', 'x'.repeat(17_000)],
    ['If-Match', '"1"'],
  ),
  fc
    .tuple(fc.stringMatching(/^[a-z-]{1,12}$/), fc.string({ maxLength: 20 }))
    .map(([name, value]): Header => [`x-${name}`, toHeaderValue(value)]),
)

export const oddHeaders: fc.Arbitrary<readonly Header[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.uniqueArray(oddHeader, { maxLength: 3, selector: ([name]) => name }) },
)

function toHeaderValue(text: string): string {
  return text.replace(/[^\x20-\x7e\xa0-\xff]/g, '?')
}
