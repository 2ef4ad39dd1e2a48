import { graphqlBody } from '../../properties/judge/contract-shapes.ts'
import { findCommonFaults, findProblemFaults } from '../../properties/judge/judge-answer.ts'
import type { WireAnswer } from '../../properties/wire/wire-answer.ts'

/**
 * What is wrong with an answer whatever was asked: headers, leaks, and for a refusal its shape (contract, sections 2
 * and 3).
 */
export function findWireFaults(answer: WireAnswer, isHead = false): string[] {
  const judged = { answer, isHead, secrets: [] }
  const { status, headers, text } = answer
  const crossOrigin = [...headers.keys()].filter(name => name.startsWith('access-control'))
  const common = [...findCommonFaults(judged), ...crossOrigin.map(name => `has the header ${name}`)]
  // A script that failed is an answer and no refusal.
  if (status < 400 || (status === 422 && text.startsWith('{"task_execution"'))) return common
  const type = headers.get('content-type') ?? ''
  const isStream = type === 'text/event-stream'
  if (isStream || /^application\/(graphql-response\+)?json/.test(type)) {
    if (isHead) return text === '' ? common : [...common, 'HEAD with a body']
    const parsed = graphqlBody.safeParse(isStream ? readOnlyEvent(text) : answer.json)
    return parsed.success ? common : [...common, `no GraphQL body: ${parsed.error.message}`]
  }
  return [...common, ...findProblemFaults(judged)]
}

// A refused stream is one result and the end.
function readOnlyEvent(text: string): unknown {
  const data = /^event: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/.exec(text)?.[1]
  return data === undefined ? undefined : JSON.parse(data)
}
