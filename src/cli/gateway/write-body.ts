import { largestBodyBytes } from '../../config.ts'
import { wrongUse } from '../frame/cli-error.ts'

const sliceLength = 2 ** 20

/**
 * Writes content as JSON. Throws an error if that has more bytes than any gateway takes. It is measured first, because
 * JSON of a text with many escapes is six times as long, and V8 ends the process if it has to write 1.5 GB.
 */
export function writeBody(content: object): string {
  let rest = largestBodyBytes
  return JSON.stringify(content, (_name, value: unknown) => {
    if (typeof value === 'string') rest -= measureJson(value, rest)
    if (rest < 0) throw wrongUse('The script and its documents are too large to be sent. Give smaller ones.')
    return value
  })
}

// Returns the length of a text as JSON, or more than `enough` if it has more.
function measureJson(text: string, enough: number): number {
  let length = 0
  for (let start = 0; start < text.length && length <= enough; start += sliceLength)
    length += JSON.stringify(text.slice(start, start + sliceLength)).length - 2
  return length
}
