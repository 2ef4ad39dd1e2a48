import fc from 'fast-check'
import { idText } from '../values/id-texts.ts'

export const memberships = '/platform/team_memberships'

export const oddQuery = fc.constantFrom(
  '',
  '',
  '',
  '',
  '?',
  '?x=1',
  '?id=2',
  '?ids[]=1',
  '?__proto__[x]=1',
  '?%',
  '?&&=',
)

/** How a text may travel in a path or query: escaped as it must be, or in every byte. */
export const escaped = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.boolean())
    .map(([given, all]) =>
      all
        ? Buffer.from(given.toWellFormed()).toString('hex').replace(/../g, '%$&')
        : encodeURIComponent(given.toWellFormed()),
    )

/** A path below a folder. */
export const one = (folder: string) =>
  fc.tuple(escaped(idText), oddQuery).map(([id, query]) => `${folder}/${id}${query}`)

/** The paths there are. */
export const knownTarget = fc.constantFrom(
  memberships,
  '/api/1/endpoint/execute',
  '/health',
  '/ready',
  '/graphql',
  `${memberships}/1`,
  '/platform/users/1',
  '/platform/teams/1',
  '/platform/functions/a',
)

/** Paths that are near those, or mean them in another spelling. */
export const nearTarget = fc.constantFrom(
  '/',
  '/platform',
  '/platform/',
  `${memberships}/`,
  `${memberships}/1/`,
  `${memberships}/1/2`,
  `${memberships};ids[]=1`,
  `${memberships}#?ids[]=1`,
  '/platform//team_memberships',
  '/Platform/team_memberships/1',
  '/platform/team%5Fmemberships/1',
  '/platform/team%5fmemberships?ids[]=1',
  '/platform/users',
  '/platform/teams/',
  '/api/1/endpoint/execute/',
  '/api/2/endpoint/execute',
  '/graphql/',
  '/graphqlx',
  '/graph%71l',
  '/graphql#x',
  '/graphql?#x',
  '/heal%74h',
  '/health/',
  '/%',
  '/%ff',
  '/%00',
  `${memberships}/%`,
  `${memberships}/%E0%A4%A`,
  `${memberships}/%ff`,
  `${memberships}/1%00`,
  '/platform/../health',
  '/./health',
  '//',
  '//evil.example/health',
  '*',
  'http://evil.example/health',
  'HTTP://evil.example/platform/users/1',
  'http://evil.example',
  'https://u:p@evil.example?x',
  '/.git/config',
  '/schema.graphql',
  '/\xe9',
  '/platform/users/\xff',
  '/platform/users/1\\2',
  `/platform/users/${'1'.repeat(5_000)}`,
)
