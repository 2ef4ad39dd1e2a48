import { spawn } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type Exceptions, findUnexplained, readReport } from './rules/audit-report.ts'
import { root } from './rules/source-files.ts'

const exceptions: Exceptions = {
  'GHSA-2jjq-x548-rhpv':
    'CVE-2022-39266: `cachedData` from users. isolated-vm answered it with a warning in its ' +
    'documents, so scanners still report it. This project passes no `cachedData`, and makes its one snapshot of ' +
    'its own text in the process that uses it.',
}

const patienceMs = 30_000

/** What npm prints; empty where there is no npm, or it has not ended in time. */
function audit(args: readonly string[]): Promise<string> {
  const quick = ['--json', '--fetch-retries=0', '--fetch-timeout=15000']
  const child = spawn('npm', ['audit', ...args, ...quick], {
    cwd: root,
    timeout: patienceMs,
    env: process.env,
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  return new Promise(resolve => {
    child.once('error', () => resolve(''))
    child.once('close', () => resolve(output))
  })
}

const [running, whole] = (await Promise.all([audit(['--omit=dev']), audit([])])).map(readReport)

describe.each([
  ['what runs', running],
  ['what runs and what tests it', whole],
])('the packages of %s', (_title, report) => {
  const title = 'have no advisory of high or critical severity but those explained'
  test.skipIf(report == null)(
    report == null ? `${title} (skipped: the registry answers no audit)` : title,
    () => {
      expect(report && findUnexplained(report, exceptions)).toEqual([])
    },
  )
})

describe('an audit', () => {
  const advisory = (id: string, severity: string) => ({
    url: `https://github.com/advisories/${id}`,
    title: 'a fault',
    severity,
  })
  const reportOf = (...via: ReturnType<typeof advisory>[]) => ({
    vulnerabilities: {
      a: { name: 'a', severity: 'high', via },
      b: { name: 'b', severity: 'high', via: ['a'] },
    },
  })

  test('fails on a high or critical advisory, once, and on no lesser one', () => {
    const found = findUnexplained(
      reportOf(advisory('GHSA-1', 'high'), advisory('GHSA-2', 'critical'), advisory('GHSA-3', 'moderate')),
      {},
    )
    expect(found).toEqual([
      'a: critical: a fault (https://github.com/advisories/GHSA-2)',
      'a: high: a fault (https://github.com/advisories/GHSA-1)',
    ])
  })

  test('lets an explained advisory pass, and that one only', () => {
    const report = reportOf(
      advisory('GHSA-2jjq-x548-rhpv', 'high'),
      advisory('GHSA-864f-rcv7-6rh4', 'critical'),
    )
    expect(findUnexplained(report, exceptions)).toHaveLength(1)
  })

  test('that the registry refuses is no report', () => {
    expect(readReport('{"message":"405 Method Not Allowed","error":{"summary":""}}')).toBeNull()
    expect(readReport('')).toBeNull()
    expect(readReport('{"vulnerabilities":{}}')).toEqual({ vulnerabilities: {} })
  })

  test('has few exceptions, each with its reason', () => {
    expect(Object.keys(exceptions).length).toBeLessThanOrEqual(3)
    expect(Object.values(exceptions).every(reason => reason.length > 50)).toBe(true)
  })
})

test('the exception for `cachedData` holds: no code is cached, and the one snapshot is of our own text', async () => {
  const { sourceFiles } = await import('./rules/source-files.ts')
  expect(sourceFiles.filter(({ code }) => /cachedData|produceCachedData/.test(code))).toEqual([])
  const snapshots = sourceFiles.flatMap(({ code }) => code.match(/createSnapshot\([^)]*\)/g) ?? [])
  expect(snapshots.map(text => text.replaceAll(/\s+/g, ''))).toEqual([
    // What `boot.mjs` passes on.
    'createSnapshot(...parts)',
    'createSnapshot([{code:realmSource(setup)',
  ])
})
