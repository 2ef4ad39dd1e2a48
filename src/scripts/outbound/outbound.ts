import { isIP, type LookupFunction } from 'node:net'
import type { Facts } from '../../bound-log.ts'
import type { ScriptLines, ScriptLogShare } from '../../fairness/script-log-share.ts'
import { endBefore } from '../../signals/end-before.ts'
import { type AllowList, createAllowList, isPublicAddress, OutboundRefusal } from './outbound-address.ts'
import { createCheckedLookup } from './outbound-lookup.ts'
import { readOutboundAnswer } from './read-outbound-answer.ts'

export interface OutboundCall {
  readonly accountCode: string
  readonly query: string
  /** The variables as JSON text. */
  readonly variables: string
  readonly url: string
  readonly signal: AbortSignal
}

export interface Outbound {
  /** Posts a GraphQL request and returns the JSON text of the answer. Rejects with a message for the script. */
  post(call: OutboundCall): Promise<string>
  /** Aborts the calls that are still waiting. */
  close(): void
}

export interface OutboundOptions {
  /** The allow-list, with entries `host` or `host:port`. */
  readonly hosts: readonly string[]
  /** Maximum bytes of an answer. */
  readonly maxBytes: number
  readonly scriptLogShare: ScriptLogShare
}

/**
 * Creates the sender of `graphql(…, url)` calls (contract, section 4). It contacts only listed hosts and checked
 * addresses, follows no redirects and sends no credential.
 */
export function createOutbound({ hosts, maxBytes, scriptLogShare }: OutboundOptions): Outbound {
  const allowList = createAllowList(hosts)
  const lookup = createCheckedLookup(allowList)
  const closing = new AbortController()
  return {
    async post({ accountCode, query, variables, url, signal }) {
      try {
        const destination = allowList.check(url)
        refuseLiteral(destination, allowList)
        const ended = AbortSignal.any([signal, closing.signal])
        const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`
        return await send(destination, body, { lookup, maxBytes, signal: ended })
      } catch (error) {
        const refusal = findRefusal(error)
        if (refusal?.facts) logRefusal(scriptLogShare.linesOf(accountCode), refusal.message, refusal.facts)
        throw new Error(explain(refusal ?? error), { cause: refusal ?? error })
      }
    },
    close: () => closing.abort(new OutboundRefusal('the gateway is stopping')),
  }
}

function logRefusal(lines: ScriptLines, message: string, facts: Facts): void {
  const bytes = Buffer.byteLength(message + JSON.stringify(facts))
  lines.write('warn', { facts, message: `graphql: ${message}`, bytes })
}

// Refuses a private address in the URL itself, unless the operator has listed it. Such an address is not looked up, so
// the look-up cannot check it.
function refuseLiteral({ hostname }: URL, allowList: AllowList): void {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0 || allowList.names(hostname) || isPublicAddress(address)) return
  throw new OutboundRefusal(`\`${address}\` is not a public address`)
}

interface Sending {
  readonly lookup: LookupFunction
  readonly maxBytes: number
  readonly signal: AbortSignal
}

async function send(url: URL, body: string, { lookup, maxBytes, signal }: Sending): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json',
    'accept-encoding': 'identity',
    'user-agent': 'rostrum',
  }
  // Imports the HTTP client on first use, because it has 109 modules.
  const { openConnection } = await import('./outbound-connection.ts')
  signal.throwIfAborted()
  const finished = new AbortController()
  let answerBytes = 0
  const connection = openConnection(url.origin, {
    lookup,
    answerBytes: () => answerBytes,
    signal: finished.signal,
  })
  const onRead = (bytes: number) => {
    answerBytes = bytes
  }
  try {
    const path = url.pathname + url.search
    const asking = connection.request({ path, method: 'POST', headers, body, reset: true })
    const reading = asking.then(answer => readOutboundAnswer(answer, { maxBytes, onRead }))
    return await endBefore(reading, { signal })
  } finally {
    finished.abort()
    void connection.destroy()
  }
}

function findRefusal(error: unknown): OutboundRefusal | null {
  const causes = error instanceof Error ? [error, error.cause] : []
  return causes.find(cause => cause instanceof OutboundRefusal) ?? null
}

function explain(error: unknown): string {
  if (error instanceof OutboundRefusal) return `graphql: ${error.message}`
  const code = (error as { code?: unknown } | null)?.code
  return `graphql: the host could not be reached${typeof code === 'string' ? ` (${code})` : ''}`
}
