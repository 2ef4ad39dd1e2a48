import { isOfOtherSchema } from '../../pages/gateway/gateway-error.ts'
import { pause } from '../../signals/pause.ts'
import { CliError, exitCodes } from '../frame/cli-error.ts'
import type { Terminal } from '../frame/terminal.ts'
import type { ChosenGateway } from './choose-gateway.ts'
import { countSilence, maxSilentSeconds } from './end-silent.ts'
import { writeBody } from './write-body.ts'

interface RefusalParts extends Pick<GatewayRefusal, 'code' | 'status' | 'message'> {
  readonly facts?: GatewayRefusal['facts']
}

/** A refusal of the gateway, with the code of the contract (section 2), such as `NOT_FOUND`. */
export class GatewayRefusal extends CliError {
  readonly code: string
  /** The HTTP status; 200 for an error of a GraphQL field. */
  readonly status: number
  /** What else the gateway says about it, such as `liveVersion`. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor({ code, status, message, facts = {} }: RefusalParts) {
    super(exitCodeOf(code, status), message)
    this.code = code
    this.status = status
    this.facts = facts
  }
}

export interface GatewayClient {
  readonly url: string
  /** Reads a resource and returns the answer, or throws a `CliError` for a refusal. `accept` is its media type. */
  get(path: string, accept: string): Promise<Response>
  /** Sends JSON and returns the answer, or throws a `CliError` for a refusal. */
  post(path: string, content: object, accept: string, patience?: Patience): Promise<Response>
  /** Executes a GraphQL operation and returns its data. */
  ask<Data>(query: string, variables?: Readonly<Record<string, unknown>>, patience?: Patience): Promise<Data>
}

/** What an answer may wait for. Only the settings of the gateway limit the time of a script. */
type Patience = 'gateway' | 'script'

/** A problem document, if it is one. */
interface Problem {
  readonly code?: unknown
  readonly detail?: unknown
}

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly patience?: Patience
}

// How long a request waits in all for a rate limit.
const maxWaitSeconds = 300

/** How a client waits for a rate limit. */
export interface RateLimitWait {
  readonly say: (line: string) => void
  /** Ends the wait. The request, which was refused, is not sent again. */
  readonly signal: AbortSignal
}

/**
 * Creates a client that says in one line what was wrong and what to do. With `waiting`, a request past the rate limit
 * is sent again after `Retry-After`.
 */
export function createGatewayClient(
  gateway: ChosenGateway,
  signal: AbortSignal,
  waiting: RateLimitWait | null = null,
): GatewayClient {
  const { url, token } = gateway
  const credential = token === null ? {} : { authorization: `Bearer ${token}` }
  function sendOnce(path: string, { headers, patience, ...request }: Sent): Promise<Response> {
    const silence = new AbortController()
    const endSilence = () => silence.abort(new Error(`it sent no answer for ${maxSilentSeconds} s`))
    const stopCounting = patience === 'script' ? () => {} : countSilence(endSilence)
    return fetch(`${url}${path}`, {
      ...request,
      headers: { ...credential, ...headers },
      signal: AbortSignal.any([signal, silence.signal]),
      redirect: 'manual',
    })
      .catch((error: unknown) => {
        signal.throwIfAborted()
        throw unreachable(url, error)
      })
      .finally(stopCounting)
  }

  async function send(path: string, request: Sent): Promise<Response> {
    let answer = await sendOnce(path, request)
    for (let waited = 0; waiting !== null && isRateLimited(answer); ) {
      const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
      waited += Math.max(seconds, 1)
      if (!(seconds >= 0 && waited <= maxWaitSeconds)) break
      await answer.body?.cancel()
      waiting.say(`The rate limit of ${url} is reached. Waiting until it takes requests again.`)
      await pause(seconds * 1_000, waiting.signal)
      answer = await sendOnce(path, request)
    }
    if (answer.ok) return answer
    // Every gateway has the paths that take a POST, so the URL names something below the gateway, such as `/graphql`.
    if (request.method === 'POST' && isNoSuchPath(answer)) throw notRostrum(url, answer.status)
    throw await toRefusal(answer, path, gateway)
  }

  const get = (path: string, accept: string) => send(path, { method: 'GET', headers: { accept } })
  const post = (path: string, content: object, accept: string, patience: Patience = 'gateway') =>
    send(path, {
      method: 'POST',
      patience,
      headers: { 'content-type': 'application/json', accept },
      body: writeBody(content),
    })

  async function ask<Data>(
    query: string,
    variables: Readonly<Record<string, unknown>> = {},
    patience?: Patience,
  ): Promise<Data> {
    const answer = await post('/graphql', { query, variables }, 'application/json', patience)
    const body = await readJson(answer, url)
    const first = readFirstError(body)
    if (first !== null) {
      const message = explainVersion(url, first)
      const facts = first.extensions ?? {}
      throw new GatewayRefusal({ code: asText(facts.code) ?? '', status: 200, message, facts })
    }
    const { data } = (body ?? {}) as { readonly data?: Data | null }
    if (typeof data !== 'object' || data === null) throw notRostrum(url)
    return data
  }

  return { url, get, post, ask }
}

// Another 429, such as that of a full account, does not go away by waiting (contract, section 11.3).
const isRateLimited = ({ status, headers }: Response) =>
  status === 429 && /;r=0(;|$)/.test(headers.get('ratelimit') ?? '')

const isNoSuchPath = ({ status, headers }: Response) =>
  [404, 405].includes(status) && headers.get('content-type')?.startsWith('application/problem+json') === true

/** Returns a function that says its first line alone. */
export function sayOnce({ say }: Pick<Terminal, 'say'>): (line: string) => void {
  let isSaid = false
  return line => {
    if (!isSaid) say(line)
    isSaid = true
  }
}

/** Reads the JSON of an answer. A connection that breaks says nothing of who answered. */
async function readJson(answer: Response, url: string): Promise<unknown> {
  try {
    return await answer.json()
  } catch (error) {
    throw error instanceof SyntaxError ? notRostrum(url) : unreachable(url, error)
  }
}

// Node's own words name an option that `npm run` does not pass on.
const untrusted =
  'this machine does not know who issued its certificate; name the file of the issuer in NODE_EXTRA_CA_CERTS'

const reasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ECONNREFUSED: 'nothing listens there',
  'bad port': 'clients of the web refuse this port; let the gateway listen on another',
  UND_ERR_HEADERS_TIMEOUT: 'it sent no answer for 5 minutes',
  UND_ERR_BODY_TIMEOUT: 'its answer stopped for 5 minutes',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it answers without TLS, so its URL begins with `http:`',
}

// The innermost error knows most: of a proxy that refuses to connect, the one around it says `Request was cancelled.`
function findCause(error: unknown): NodeJS.ErrnoException {
  const { cause } = error as { readonly cause?: unknown }
  return typeof cause === 'object' && cause !== null ? findCause(cause) : (error as NodeJS.ErrnoException)
}

/** The error for a connection that broke or was never made. */
export function unreachable(url: string, error: unknown): CliError {
  const reason = describeCause(url, findCause(error))
  return new CliError(
    exitCodes.unavailable,
    `Cannot reach the gateway at ${url}: ${reason}. Start it, or name another with \`--url\`.`,
  )
}

interface Cause extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
  /** What OpenSSL says, without the place in its sources. */
  readonly reason?: string
}

function describeCause(url: string, { code = '', message, reason, address, port }: Cause): string {
  const { port: given = '', protocol = '' } = URL.parse(url) ?? {}
  // With NODE_USE_ENV_PROXY, the way to a gateway begins at a proxy, which may be what does not listen.
  if (
    code === 'ECONNREFUSED' &&
    port !== undefined &&
    port !== Number(given || (protocol === 'https:' ? 443 : 80))
  )
    return `nothing listens at ${address}:${port}, which HTTP_PROXY or HTTPS_PROXY names`
  return reasons[code] ?? reasons[message] ?? reason ?? (message || code || 'no answer')
}

/** The error for a server that does not answer as a gateway does. */
export function notRostrum(url: string, status = 200): CliError {
  const answered = status === 200 ? '' : `: it answered ${status}`
  return new CliError(
    exitCodes.unavailable,
    `What answers at ${url} is no Rostrum gateway${answered}. Check \`--url\`.`,
  )
}

// A proxy often redirects `http:` to `https:`. The token is not sent on, because its owner named another URL.
function redirected(url: string, path: string, { status, headers }: Response): CliError {
  const to = URL.parse(headers.get('location') ?? '', `${url}${path}`)?.href
  if (to?.endsWith(path) !== true) return notRostrum(url, status)
  return new CliError(
    exitCodes.unavailable,
    `${url} redirects to ${to.slice(0, -path.length)}. Name that URL with \`--url\`.`,
  )
}

async function toRefusal(answer: Response, path: string, gateway: ChosenGateway): Promise<CliError> {
  const { url } = gateway
  const { status } = answer
  if (answer.headers.has('location')) return redirected(url, path, answer)
  const body = await readRefusal(answer).catch(() => null)
  const { code, detail } = (body ?? {}) as Problem
  const first = readFirstError(body)
  const foundCode = asText(code) ?? asText(first?.extensions?.code) ?? ''
  if (foundCode === '' && !isOfProxy(status)) return notRostrum(url, status)
  const said = asText(detail) ?? (first === null ? describeStatus(url, status) : explainVersion(url, first))
  const message = status === 401 ? `${said} ${adviseSignIn(gateway)}` : said
  return new GatewayRefusal({ code: foundCode, status, message: message.replaceAll('\n', ' ') })
}

// A refused stream has the refusal in its first event.
async function readRefusal(answer: Response): Promise<unknown> {
  const text = await answer.text()
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  return JSON.parse(isStream ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text)
}

const canPass = (status: number) => [408, 429].includes(status) || status >= 500
// What a proxy in front of a gateway may answer by itself.
const isOfProxy = (status: number) => [401, 403, 413].includes(status) || canPass(status)

function describeStatus(url: string, status: number): string {
  return `The gateway at ${url} answered ${status}.${canPass(status) ? ' Try again later.' : ''}`
}

interface GraphQLFault {
  readonly message: string
  readonly path?: unknown
  readonly extensions?: Readonly<Record<string, unknown>> | null
}

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)

// Returns the first error of a GraphQL answer, whatever else answers there.
function readFirstError(body: unknown): GraphQLFault | null {
  const { errors } = (body ?? {}) as { readonly errors?: unknown }
  const first = Array.isArray(errors) ? (errors[0] as Partial<GraphQLFault> | null) : null
  return typeof first?.message === 'string' ? (first as GraphQLFault) : null
}

// The documents of the command line are valid for its own version.
function explainVersion(url: string, fault: GraphQLFault): string {
  const { message } = fault
  if (!isOfOtherSchema(fault)) return message
  return `The gateway at ${url} has another version than this command line: ${message} Use the one of its version.`
}

function adviseSignIn({ url, token, isTokenGiven = false }: ChosenGateway): string {
  const login = `\`rostrum login --url ${url}\``
  if (isTokenGiven) return `Set another ROSTRUM_TOKEN, or unset it and sign in with ${login}.`
  return token === null
    ? `Sign in with ${login}, or set ROSTRUM_TOKEN.`
    : `Sign in again with ${login}, or set ROSTRUM_TOKEN.`
}

const unavailableCodes = ['OVERLOADED', 'UNAVAILABLE', 'INTERNAL']

function exitCodeOf(code: string, status: number) {
  if (status === 401 || status === 403 || code === 'UNAUTHENTICATED' || code === 'FORBIDDEN')
    return exitCodes.refused
  if (canPass(status) || unavailableCodes.includes(code)) return exitCodes.unavailable
  return code === 'PRECONDITION_FAILED' ? exitCodes.conflict : exitCodes.usage
}
