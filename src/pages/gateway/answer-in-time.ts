import { GatewayError } from './gateway-error.ts'

// A read takes some seconds at most. A change runs the hooks of the account, and can take longer.
const maxReadMs = 30_000
const maxChangeMs = 60_000
// After a sleep of the computer, what arrived meanwhile is read within this time.
const lastMs = 10_000

interface Request {
  /** True for a request that changes something. */
  readonly isChange: boolean
  /** Ends the request sooner. */
  readonly signal?: AbortSignal | null | undefined
}

/**
 * Returns what `send` resolves to. Throws a `GatewayError` if that takes too long, so that no page waits forever. A
 * read ends then. A change goes on, because the gateway would end its scripts with it.
 */
export async function answerInTime<Answer>(
  { isChange, signal }: Request,
  send: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  const abort = new AbortController()
  const forget = callAfter(
    () => {
      late.reject(silent(isChange ? 'It may be done by now. Look, or try again.' : 'Try again.'))
      if (!isChange) abort.abort()
    },
    isChange ? maxChangeMs : maxReadMs,
  )
  const signals = signal == null ? [abort.signal] : [abort.signal, signal]
  try {
    return await Promise.race([send(AbortSignal.any(signals)), late.promise])
  } finally {
    forget()
  }
}

/**
 * Calls the function after this time, of which the last 10 s begin once the page is awake: a computer that slept does
 * not end a request whose answer is there. Returns what forgets it.
 */
export function callAfter(action: () => void, ms: number): () => void {
  let timer = setTimeout(
    () => {
      timer = setTimeout(action, Math.min(ms, lastMs))
    },
    Math.max(0, ms - lastMs),
  )
  return () => clearTimeout(timer)
}

/** Returns the error of a request whose answer does not come. */
function silent(advice: string): GatewayError {
  return new GatewayError(`The gateway does not answer. ${advice}`, { code: 'UNREACHABLE', status: 0 })
}
