import { errorWithoutPosition, type RunError } from '../../domain/scripts/run.ts'
import { JsonText } from '../../json/json-text.ts'
import { escapeSurrogates } from '../../json/surrogates.ts'
import { type Ending, tooLarge } from '../protocol.ts'
import { isSandboxJson } from './read-sandbox-json.ts'

/** How a run ended: as the script reported, or because its process ended. */
export type RunEnding =
  | { readonly kind: 'exit'; readonly payload: JsonText; readonly payloadBytes: number }
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'error'; readonly error: RunError }
  | { readonly kind: 'crashed'; readonly reason: string }
  /** The process ended before this run began, so another sandbox can take the run. */
  | { readonly kind: 'notBegun'; readonly reason: string }

/** A checked ending from a sandbox, and whether the sandbox may take another run. */
interface ReadEnding {
  readonly ending: RunEnding
  readonly isReusable: boolean
}

/** Checks an ending that a sandbox reported. An honest sandbox keeps the limits and sends valid JSON. */
export function readEnding(said: Ending, resultBytes: number): ReadEnding {
  switch (said.kind) {
    case 'exit':
      // `JSON.rawJSON` gives such texts, of which UTF-8 would lose a part.
      return readExit(escapeSurrogates(said.payload), resultBytes)
    case 'fail':
      return Buffer.byteLength(JSON.stringify(said.message)) > resultBytes
        ? distrusted(tooLarge('message', resultBytes))
        : { ending: said, isReusable: true }
    case 'error':
      // After a timeout or a memory failure the sandbox is not reused, because code or data of the script may remain in
      // it.
      return { ending: said, isReusable: said.error.code !== 'TIMEOUT' && said.error.code !== 'MEMORY' }
    default:
      return said satisfies never
  }
}

function readExit(text: string, resultBytes: number): ReadEnding {
  const payloadBytes = Buffer.byteLength(text)
  if (payloadBytes > resultBytes) return distrusted(tooLarge('result', resultBytes))
  if (isSandboxJson(text)) {
    return { ending: { kind: 'exit', payload: new JsonText(text), payloadBytes }, isReusable: true }
  }
  return distrusted(errorWithoutPosition('CRASHED', 'The sandbox sent a result that is not JSON'))
}

function distrusted(error: RunError): ReadEnding {
  return { ending: { kind: 'error', error }, isReusable: false }
}
