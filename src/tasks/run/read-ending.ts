import { JsonText } from '../../json/json-text.ts'
import { errorWithoutPlace } from '../pool/error-without-place.ts'
import type { Ending } from '../protocol.ts'
import { isSandboxJson } from './read-sandbox-json.ts'
import type { TaskError } from './task-execution.ts'

/** How the run ended, as the gateway tells it: what the script said, or what became of its process. */
export type RunEnding =
  | { readonly kind: 'exit'; readonly payload: JsonText; readonly payloadBytes: number }
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'error'; readonly error: TaskError }
  | { readonly kind: 'crashed'; readonly reason: string }
  /** The process was gone before it said a word of this run, of which nothing has run: another may be tried. */
  | { readonly kind: 'unbegun'; readonly reason: string }

/** An ending by the sandbox's word, and whether a sandbox that says so may have another run. */
interface ReadEnding {
  readonly ending: RunEnding
  readonly isKept: boolean
}

/** What the sandbox says of an ending is checked once more: one of ours keeps the limits and gives JSON. */
export function readEnding(said: Ending, resultBytes: number): ReadEnding {
  switch (said.kind) {
    case 'exit':
      return readExit(said.payload, resultBytes)
    case 'fail':
      return Buffer.byteLength(JSON.stringify(said.message)) > resultBytes
        ? distrusted(tooLarge('message', resultBytes))
        : { ending: said, isKept: true }
    case 'error':
      // After a time-out or a memory death something of the script may still run or lie about in the process.
      return { ending: said, isKept: said.error.code !== 'TIMEOUT' && said.error.code !== 'MEMORY' }
    default:
      return said satisfies never
  }
}

function readExit(text: string, resultBytes: number): ReadEnding {
  const payloadBytes = Buffer.byteLength(text)
  if (payloadBytes > resultBytes) return distrusted(tooLarge('result', resultBytes))
  if (isSandboxJson(text)) {
    return { ending: { kind: 'exit', payload: new JsonText(text), payloadBytes }, isKept: true }
  }
  return distrusted(errorWithoutPlace('CRASHED', 'The sandbox gave a result that is not JSON'))
}

function distrusted(error: TaskError): ReadEnding {
  return { ending: { kind: 'error', error }, isKept: false }
}

function tooLarge(what: string, resultBytes: number): TaskError {
  return errorWithoutPlace('LIMIT', `The ${what} has more than ${resultBytes} bytes, the most allowed`)
}
