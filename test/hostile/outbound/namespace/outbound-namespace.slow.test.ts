import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { headersOfCalls } from '../../../server/gateways/start-upstream.ts'
import { listedCalls } from '../answers/listed-calls.ts'
import { scenarios } from '../hosts/scenarios.ts'
import type { Report } from './namespace-reports.ts'
import { findNamespaces, runInNamespace } from './run-in-namespace.ts'
import { unlistedUrls } from './unlisted-urls.ts'
import { innerAddresses } from './zone.ts'

interface CorpusLine {
  readonly id: string
  readonly class: string
  readonly expect: {
    readonly outcome: string[]
    readonly message: string
    readonly maxMs: number
    readonly canaryConnections?: number
  }
}

const corpus = readFileSync(new URL('../../corpus/corpus.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as CorpusLine)
  .filter(line => line.class === 'ssrf')

const way = findNamespaces()
const title = 'in a network of its own, where every address answers'
const skipped = `${title} (skipped: needs \`unshare\` and \`ip\`, and to be allowed them)`

describe.skipIf(way === null)(way === null ? skipped : title, () => {
  let reports: readonly Report[] = []

  beforeAll(async () => {
    if (way !== null) reports = await runInNamespace(way)
  }, 200_000)

  function find(group: Report['group'], name: string): Report {
    const report = reports.find(each => each.group === group && each.name === name)
    if (report === undefined) throw new Error(`There is no report of ${name}`)
    return report
  }

  describe('what is not on the list is not connected to, nor is its name asked for', () => {
    test.each(unlistedUrls.map(url => [JSON.stringify(url).slice(0, 80), url]))('%s', (_, url) => {
      const { outcome, said, connections, asked } = find('unlisted', url ?? '')
      expect(outcome).toBe('exit')
      expect((said as { message?: string }).message).toMatch(
        /^graphql: (`.+` is not on the list of hosts|port \d+ of `.+` is not on the list|only `https:`|the url )/,
      )
      expect([connections, asked]).toEqual([[], []])
    })
  })

  describe('a listed host', () => {
    test.each(listedCalls)('$title', ({ title: name, gives, reaches }) => {
      const { said, connections, requests } = find('listed', name)
      if ('json' in gives) expect(said).toEqual(gives)
      else expect((said as { message?: string }).message).toContain(`graphql: ${gives.message}`)
      expect([...new Set(connections)]).toEqual(reaches)
      // A host with a bad certificate or none receives nothing.
      if ('message' in gives && gives.message.includes('could not be reached')) expect(requests).toEqual([])
    })

    test('gets the name that was asked for, HTTP/1.1 alone, and these headers', () => {
      const secure = find('listed', 'and over https, with its name checked').requests
      expect(secure).toMatchObject([{ sni: 'public.test', alpn: 'http/1.1', line: 'POST /' }])
      const all = reports.flatMap(({ requests }) => requests)
      expect(all.length).toBeGreaterThan(100)
      for (const request of all)
        expect(request.headers.map(name => name.toLowerCase()).toSorted()).toEqual(headersOfCalls)
    })

    test('is spoken to directly, whatever proxies the environment names', () => {
      expect(
        reports.flatMap(({ connections }) => connections).filter(place => place.endsWith(':3128')),
      ).toEqual([])
    })
  })

  test('no message tells a script what a name resolves to', () => {
    const texts = reports.filter(({ group }) => group !== 'unlisted').map(({ said }) => JSON.stringify(said))
    const inner = texts.filter(text => /resolves/.test(text))
    expect(inner.length).toBeGreaterThan(40)
    const names = /`(127\.0\.0\.1\.nip\.test)`/g
    expect(
      inner.filter(text => /\b(127|10|192|172|169|100)\.\d+\.|::|fe80|fd00/.test(text.replace(names, ''))),
    ).toEqual([])
  })

  test.each(Object.entries(innerAddresses))(
    'but the log tells the operator: %s is %s',
    (hostname, address) => {
      const lines = reports.filter(({ group }) => group === 'log').flatMap(({ name }) => name.split('\n'))
      const line = lines.find(each => each.includes(`"${hostname}"`)) ?? '{}'
      expect(JSON.parse(line)).toMatchObject({
        level: 40,
        hostname,
        address: expect.stringMatching(/^[\d.]+$|:/),
      })
      if (!address.includes(':')) expect(JSON.parse(line).address).toBe(address)
    },
  )

  test.each(corpus)('of the corpus: $id', ({ id, expect: expected }) => {
    const { outcome, said, ms, connections } = find('corpus', id)
    expect(expected.outcome).toContain(outcome)
    if (outcome === 'fail') expect(said).toBe(expected.message)
    expect(ms).toBeLessThan(expected.maxMs)
    // A line that says nothing of connections is about `public.test`, which is listed.
    const listed = expected.canaryConnections === undefined ? ['93.184.216.34:80'] : []
    expect(connections.filter(place => !listed.includes(place))).toEqual([])
  })

  test.each(scenarios)('$title', ({ title: name, said, mayReach }) => {
    const report = find('scenario', name)
    expect(report.said).toEqual(said)
    expect(report.connections.filter(place => !mayReach.includes(place))).toEqual([])
  })
})
