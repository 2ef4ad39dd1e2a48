import { writeJson } from '../json/json-text.ts'
import { tooLong } from '../limits/answer-bytes.ts'
import type { Answer } from './engine.ts'
import { toGraphqlError } from './mask-graphql-error.ts'

export interface WrittenAnswer {
  readonly answer: Answer
  /** Its result as JSON. */
  readonly text: string
}

/**
 * The answer with its text. One of more than `maxBytes` is replaced, before it is sent, by one that says so; since it was
 * executed, it has `data`, and says that its changes are made.
 */
export function writeAnswer(answer: Answer, maxBytes: number): WrittenAnswer {
  const text = writeJson(answer.result)
  // No character takes more than three bytes: the length of most texts says enough.
  if (text.length * 3 <= maxBytes) return { answer, text }
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return { answer, text }
  const error = toGraphqlError(tooLong(maxBytes, 'An answer', `This one has ${bytes} and is not sent`))
  const shortened = { ...answer, result: { errors: [error], data: null } }
  return { answer: shortened, text: JSON.stringify(shortened.result) }
}
