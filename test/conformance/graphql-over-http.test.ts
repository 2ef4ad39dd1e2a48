import { serverAudits } from 'graphql-http'
import { beforeAll, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const audits = serverAudits({
  url: () => `${server.baseUrl}/graphql`,
  fetchFn: (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${server.adminToken}`)
    return fetch(url, { ...init, headers })
  },
})

test('the package has its audits of every level', () => {
  const levels = new Set(audits.map(audit => audit.name.split(' ')[0]))
  expect(levels).toEqual(new Set(['MUST', 'SHOULD', 'MAY']))
  expect(audits.length).toBeGreaterThan(50)
})

// An audit that is not ok carries its reason; a `notice` or a `warn` is not ok either.
test.each(audits.map(audit => [`${audit.id} ${audit.name}`, audit] as const))('%s', async (_, audit) => {
  const result = await audit.fn()
  expect(result.status === 'ok' ? 'ok' : result.reason).toBe('ok')
})
