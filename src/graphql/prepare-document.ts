import { GraphQLError, parse } from 'graphql'
import { RostrumError } from '../errors.ts'
import { bounds } from './bounds/bounds.ts'
import { fragmentsOf } from './bounds/measure-selections.ts'
import { beyondBound, refuseBeyond } from './bounds/refuse-bound.ts'
import { refuseShape } from './bounds/refuse-shape.ts'
import type { PreparedDocument } from './document-cache.ts'

/** Parses a text. Throws a `GraphQLError` if it is not GraphQL, and a `RostrumError` if it is past a bound. */
export function prepareDocument(text: string): PreparedDocument {
  return refuseDeepNesting(() => {
    const document = parseBounded(text)
    const fragments = fragmentsOf(document)
    refuseShape(document, fragments)
    return { document, fragments, validationErrors: null, operations: new Map() }
  })
}

// Maximum number of lines for which errors have positions. graphql-js counts the lines again for each position.
const maxLinesWithPositions = 500

function parseBounded(text: string) {
  const lines = countLines(text)
  refuseBeyond('lines', lines)
  try {
    return parse(text, { maxTokens: bounds.tokens, noLocation: lines > maxLinesWithPositions })
  } catch (error) {
    if (error instanceof GraphQLError && error.message.includes(`${bounds.tokens} tokens`)) {
      throw beyondBound('tokens')
    }
    throw error
  }
}

function countLines(text: string): number {
  let lines = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || code === 0x0d) lines++
  }
  return lines
}

/** Runs `work`. Turns a stack overflow into `BAD_USER_INPUT`, because the caller's document is nested too deeply. */
export function refuseDeepNesting<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) {
      throw new RostrumError('BAD_USER_INPUT', 'The document is nested too deeply.', { cause: error })
    }
    throw error
  }
}
