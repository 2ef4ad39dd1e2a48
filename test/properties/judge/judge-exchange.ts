import { findRestFaults, type RestExchange } from '../rest/judge-rest.ts'
import type { WireAnswer } from '../wire/wire-answer.ts'
import { showRequest, type WireRequest } from '../wire/wire-request.ts'
import { pathOf } from './contract-routes.ts'
import { findGraphqlFaults } from './judge-graphql.ts'

/** All in which an answer differs from what the contract says. */
export function judge(exchange: RestExchange): string[] {
  return pathOf(exchange.request.target) === '/graphql'
    ? findGraphqlFaults(exchange)
    : findRestFaults(exchange)
}

interface FaultyExchange {
  readonly faults: readonly string[]
  readonly request: WireRequest
  readonly answer: WireAnswer | null
  /** What went before it on the same connection. */
  readonly before: WireRequest | null
}

/** Everything needed to repeat a failed exchange by hand. */
export function describeExchange({ faults, request, answer, before }: FaultyExchange): string {
  return [
    ...faults,
    ...(before === null ? [] : ['--- before it on the connection', showRequest(before)]),
    '--- request',
    showRequest(request),
    '--- answer',
    answer === null ? 'none' : showAnswer(answer),
  ].join('\n')
}

function showAnswer({ status, headers, text }: WireAnswer): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`)
  return `${status}\n${lines.join('\n')}\n\n${text.slice(0, 2_000)}`
}
