import { getOperationAST, parse } from 'graphql'
import { expect, test } from 'vitest'
import { beginOperationSpan } from '../../src/tracing/request-spans.ts'
import type { Span, SpanAttributes } from '../../src/tracing/span.ts'
import { collectGarbage } from '../../src/v8/collect-garbage.ts'

test('the span of an operation does not keep its document in memory', () => {
  const begun: SpanAttributes[] = []
  const parent = {
    traceId: null,
    databaseSystem: 'sqlite' as const,
    begin(_name: string, _kind: string, attributes: SpanAttributes) {
      begun.push(attributes)
      return {} as Span
    },
  }
  function beginOne(_: unknown, n: number): void {
    const text = `query NameOfAnOperation${n} { viewer { accountCode } } #${'x'.repeat(2 ** 20)}`
    // As the document of a request.
    const [document = ''] = JSON.parse(JSON.stringify([text])) as string[]
    const operation = getOperationAST(parse(document, { noLocation: true }))
    if (operation !== null && operation !== undefined) beginOperationSpan(parent, operation)
  }
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  Array.from({ length: 32 }, beginOne)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 ** 24)
  expect(begun.at(-1)).toMatchObject({ 'graphql.operation.name': 'NameOfAnOperation31' })
})
