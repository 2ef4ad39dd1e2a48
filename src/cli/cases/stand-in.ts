import { isDeepStrictEqual } from 'node:util'
import { cutText } from '../../json/surrogates.ts'
import type { StandIn } from '../../scripts/calls/answer-call.ts'
import { nameCall } from '../../scripts/calls/name-call.ts'
import type { Case } from './case-file.ts'

// Maximum length of the variables in a message.
const maxShownCharacters = 1_000

/** Answers the calls of a script with the entries of its case. Without entries it leaves the calls to the gateway. */
export function createStandIn(entries: Case['graphql']): StandIn {
  return async ({ query, variables }) => {
    if (entries === undefined) return null
    const field = nameCall({ query, url: null })
    const entry = entries.find(
      given =>
        given.field === field &&
        (given.variables === undefined || isDeepStrictEqual(given.variables, { ...variables })),
    )
    if (entry !== undefined) return { answer: entry.answer }
    const isNamed = entries.some(given => given.field === field)
    const sent = cutText(JSON.stringify(variables) ?? '{}', maxShownCharacters)
    const why = isNamed ? `none of its entries has the variables ${sent}` : 'the case has no entry for it'
    throw new Error(`graphql: \`${field}\` is not answered: ${why}`)
  }
}
