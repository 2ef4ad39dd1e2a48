import { tooLong } from '../fairness/answer-bytes.ts'
import { writeJson } from '../json/json-text.ts'
import type { Answer } from './engine.ts'
import { toGraphqlError } from './mask-result.ts'

export interface WrittenAnswer {
  readonly answer: Answer
  /** The answer's result as JSON. */
  readonly text: string
}

/**
 * Writes the answer as JSON. If it is over `maxBytes`, writes an error instead, which says that the answer is too long
 * and that its changes are made. The error has `data`, because the operation was executed.
 */
export function writeAnswer(answer: Answer, maxBytes: number): WrittenAnswer {
  const text = writeJson(answer.result)
  // A UTF-16 character takes at most three bytes, so the length alone is enough for most texts.
  if (text.length * 3 <= maxBytes) return { answer, text }
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return { answer, text }
  const failure = tooLong(maxBytes, 'An answer', `This one has ${bytes} and is not sent`)
  const result = { errors: [toGraphqlError(failure)], data: null }
  const shortened = { ...answer, result, failures: [failure] }
  return { answer: shortened, text: JSON.stringify(shortened.result) }
}
