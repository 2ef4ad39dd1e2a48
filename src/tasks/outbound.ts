import { lookup as resolveHost } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import { type AllowList, createAllowList, isPublicAddress, OutboundRefusal } from './outbound-address.ts'

const connectTimeoutMs = 5_000

export interface OutboundCall {
  readonly query: string
  readonly variables: Record<string, unknown>
  readonly url: string
  readonly signal: AbortSignal
}

export interface Outbound {
  /** Posts a GraphQL request and gives the JSON text of the answer; every failure rejects with a message for the script. */
  post(call: OutboundCall): Promise<string>
  close(): Promise<void>
}

export interface OutboundOptions {
  /** Allow-list: `host` or `host:port`. */
  readonly hosts: readonly string[]
  /** Most bytes of an answer. */
  readonly mostBytes: number
}

/** The way out for `graphql(…, url)` (contract, section 4): listed hosts, checked addresses, no redirect, no credential. */
export function createOutbound({ hosts, mostBytes }: OutboundOptions): Outbound {
  const allowList = createAllowList(hosts)
  const agent = new Agent({
    connect: { lookup: createLookup(allowList), timeout: connectTimeoutMs },
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  })
  return {
    async post({ query, variables, url, signal }) {
      try {
        const destination = allowList.check(url)
        refuseLiteral(destination, allowList)
        return await send(destination, JSON.stringify({ query, variables }), { agent, mostBytes, signal })
      } catch (error) {
        throw new Error(explain(error), { cause: error })
      }
    },
    close: () => agent.destroy(),
  }
}

// An address written into the url never passes through the look-up. Listed explicitly, it is the operator's word.
function refuseLiteral({ hostname }: URL, allowList: AllowList): void {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0 || allowList.names(hostname) || isPublicAddress(address)) return
  throw new OutboundRefusal(`\`${address}\` is not an address of the public internet`)
}

// Resolves once, checks every address, and hands the checked ones to the socket: what was checked is what is reached.
// A host that the operator lists by name may resolve to loopback only if its name says so.
function createLookup(allowList: AllowList): LookupFunction {
  return (hostname, options, callback) => {
    void resolveHost(hostname, {
      all: true,
      family: options.family === 6 ? 6 : options.family === 4 ? 4 : 0,
    }).then(
      found => {
        const refused = found.find(({ address }) => !isPublicAddress(address))
        if (refused !== undefined && !isLocalName(hostname, allowList)) {
          const reason = `\`${hostname}\` resolves to \`${refused.address}\`, which is not an address of the public internet`
          return callback(new OutboundRefusal(reason), '', 0)
        }
        if (options.all === true) return callback(null, found)
        const [first] = found
        return first === undefined
          ? callback(new OutboundRefusal(`\`${hostname}\` has no address`), '', 0)
          : callback(null, first.address, first.family)
      },
      error => callback(error, '', 0),
    )
  }
}

function isLocalName(hostname: string, allowList: AllowList): boolean {
  return (hostname === 'localhost' || hostname.endsWith('.localhost')) && allowList.names(hostname)
}

interface Sending {
  readonly agent: Agent
  readonly mostBytes: number
  readonly signal: AbortSignal
}

async function send(url: URL, body: string, { agent, mostBytes, signal }: Sending): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json',
    'accept-encoding': 'identity',
    'user-agent': 'rostrum',
  }
  // undici heeds the signal only once it has a connection.
  const asking = request(url, { method: 'POST', headers, body, dispatcher: agent, signal })
  const answer = await Promise.race([asking, rejectWhenAborted(signal)])
  try {
    const { statusCode } = answer
    if (statusCode >= 300 && statusCode < 400) throw new OutboundRefusal('redirects are not followed')
    if (statusCode < 200 || statusCode > 299) throw new OutboundRefusal(`the host answered ${statusCode}`)
    const encoding = answer.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      throw new OutboundRefusal('the answer is compressed, which was not asked for')
    const text = await readWithin(answer.body, mostBytes)
    JSON.parse(text)
    return text
  } finally {
    answer.body.on('error', () => undefined)
    answer.body.destroy()
  }
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

async function readWithin(body: AsyncIterable<Buffer>, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new OutboundRefusal(`the answer has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function explain(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof OutboundRefusal ? error.cause : error
  if (cause instanceof OutboundRefusal) return `graphql: ${cause.message}`
  if (cause instanceof SyntaxError) return 'graphql: the answer is not JSON'
  const code = (cause as { code?: unknown } | null)?.code
  return `graphql: the host could not be reached${typeof code === 'string' ? ` (${code})` : ''}`
}
