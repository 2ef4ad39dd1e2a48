import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect } from 'vitest'
import type { GatewayClient } from '../../server/clients/gateway-client.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'

export interface Report {
  readonly id: number
  readonly version: number
  readonly txnID: string
}

export interface CaseBody {
  readonly case: { readonly id: number; readonly version: number }
}

interface Queued {
  readonly queuedRuns: { readonly nodes: readonly { readonly state: string }[] }
}

export const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** Receives what hooks report, in the order of their calls. */
export async function startReports(answer: (report: Report) => unknown = () => null) {
  const reports: Report[] = []
  const upstream = await startUpstream(async ({ body }, response) => {
    const { variables } = JSON.parse(body)
    reports.push(variables)
    sendJson(response, { data: { answer: await answer(variables) } })
  })
  ends.push(() => upstream.close())
  return { reports, upstream }
}

export async function start(settings: Readonly<Record<string, string>>): Promise<TestServer> {
  const server = await startServer(settings)
  ends.push(() => server.stop())
  return server
}

export const script = ({ url }: Upstream) => `const { id, version } = options.case
  await graphql('{ x }', { id, version, txnID: requestContext().txnID }, '${url}')
  exit(null)`

export const create = (server: GatewayClient, data: object = {}) =>
  server.rest<CaseBody>('POST', '/platform/cases', { body: { case: { case_type_code: 'incident', data } } })

/** Saves once, however often a busy database makes it try. */
export async function put(server: TestServer, id: number, data: object): Promise<void> {
  const headers = { 'idempotency-key': randomUUID() }
  const save = () =>
    server.rest<CaseBody>('PUT', `/platform/cases/${id}`, { body: { case: { data } }, headers })
  for (let answer = await save(); answer.status !== 200; answer = await save()) {
    // 409: the one before is still going on, or its end is being looked for.
    expect([409, 503]).toContain(answer.status)
    await sleep(100)
  }
}

export async function statesOf(server: GatewayClient): Promise<readonly string[]> {
  const { body } = await server.graphql<Queued>('{ queuedRuns { nodes { state } } }')
  return body.data?.queuedRuns.nodes.map(({ state }) => state) ?? ['no answer']
}

/** Expects that the hook of each saved case ran within 20 s, and again only with the same transaction. */
export async function expectEachRan(
  server: GatewayClient,
  saved: readonly number[],
  reports: readonly Report[],
): Promise<void> {
  const missing = () => saved.filter(id => !reports.some(report => report.id === id))
  await expect.poll(missing, { timeout: 20_000 }).toEqual([])
  // A run whose end a kill cut off waits to run again, the longer the more often that happened.
  expect(await statesOf(server)).not.toContain('DEAD')
  const transactions = Map.groupBy(reports, ({ id }) => id)
  for (const [, ofCase] of transactions) expect(new Set(ofCase.map(({ txnID }) => txnID)).size).toBe(1)
  console.info(`${saved.length} saves, ${reports.length} runs`)
}
