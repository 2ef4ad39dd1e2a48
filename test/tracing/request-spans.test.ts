import { expect, test } from 'vitest'
import { beginRequestSpan } from '../../src/tracing/request-spans.ts'
import type { SpanAttributes, Tracing } from '../../src/tracing/span.ts'

const webhookRoute = '/api/1/webhook/:account_nickname/:name'

function pathOf(parameters: Readonly<Record<string, string>>, route = webhookRoute): unknown {
  const begun: SpanAttributes[] = []
  const tracing = {
    continueFrom: () => ({
      begin: (_name: string, _kind: string, attributes: SpanAttributes) => begun.push(attributes),
    }),
  }
  const request = { method: 'POST', route, parameters, traceparent: undefined }
  beginRequestSpan(tracing as unknown as Tracing, request)
  return begun[0]?.['url.path']
}

test.each([
  ['github', 'github'],
  ['github.v2_x-1', 'github.v2_x-1'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), '{name}'],
  ['ann@example.com', '{name}'],
  ['.hidden', '{name}'],
  ['a b', '{name}'],
  ['', '{name}'],
  ['rst_0123456789abcdef', '{name}'],
  ['rrun_0123456789abcdef', '{name}'],
])('the path of a request to `%s` is shown with `%s`, and never with the account', (name, shown) => {
  const path = pathOf({ account_nickname: 'acme', name })
  expect(path).toBe(`/api/1/webhook/{account_nickname}/${shown}`)
})

test.each([
  ['7', '7'],
  ['01a21f90-c81e-7adc-afe3-3a113909b11c', '01a21f90-c81e-7adc-afe3-3a113909b11c'],
  ['rst_0123456789abcdef', '{id}'],
  ['Anderson', '{id}'],
])('the path of a request for the id `%s` is shown with `%s`', (id, shown) => {
  expect(pathOf({ id }, '/platform/users/:id')).toBe(`/platform/users/${shown}`)
})
