import { CliError, exitCodes } from '../frame/cli-error.ts'
import type { ChosenGateway } from './choose-gateway.ts'

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
  /** Sends a request and returns the answer, or throws a `CliError` for a refusal. */
  send(path: string, init?: RequestInit & { readonly accepts?: readonly number[] }): Promise<Response>
  /** Executes a GraphQL operation and returns its data. */
  ask<Data>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Data>
}

interface Problem {
  readonly code?: string
  readonly detail?: string
  readonly title?: string
}

/** Creates a client that says in one line what was wrong and what to do. */
export function createGatewayClient({ url, token }: ChosenGateway, signal: AbortSignal): GatewayClient {
  async function send(
    path: string,
    { accepts = [], headers, ...init }: RequestInit & { readonly accepts?: readonly number[] } = {},
  ): Promise<Response> {
    const credential = token === null ? {} : { authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}${path}`, {
      ...init,
      headers: { ...credential, ...(headers as Record<string, string>) },
      signal,
      redirect: 'error',
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw unreachable(url, error)
    })
    if (answer.ok || accepts.includes(answer.status)) return answer
    throw await toRefusal(answer, url, token !== null)
  }

  async function ask<Data>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
    const answer = await send('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors } = (await readJson(answer, url)) as {
      readonly data?: Data
      readonly errors?: readonly {
        readonly message: string
        readonly extensions?: { readonly code?: string }
      }[]
    }
    const [first] = errors ?? []
    if (first !== undefined) {
      const { message, extensions: facts = {} } = first
      throw new GatewayRefusal({ code: facts.code ?? '', status: 200, message, facts })
    }
    if (data === undefined) throw notRostrum(url)
    return data
  }

  return { url, send, ask }
}

/** Reads the JSON of an answer. */
export async function readJson(answer: Response, url: string): Promise<unknown> {
  try {
    return await answer.json()
  } catch {
    throw notRostrum(url)
  }
}

/** The error for a connection that broke or was never made. */
export function unreachable(url: string, error: unknown): CliError {
  const cause =
    (error as { readonly cause?: NodeJS.ErrnoException }).cause ?? (error as NodeJS.ErrnoException)
  const reason =
    cause.code === 'ECONNREFUSED' ? 'nothing listens there' : ((cause.message || cause.code) ?? 'no answer')
  return new CliError(
    exitCodes.unavailable,
    `Cannot reach the gateway at ${url}: ${reason}. Start it, or name another with \`--url\`.`,
  )
}

/** The error for a server that does not answer as a gateway does. */
export function notRostrum(url: string): CliError {
  return new CliError(exitCodes.unavailable, `What answers at ${url} is no Rostrum gateway. Check \`--url\`.`)
}

async function toRefusal(answer: Response, url: string, hasToken: boolean): Promise<CliError> {
  const { status } = answer
  const problem = ((await answer.json().catch(() => null)) ?? {}) as Problem & {
    readonly errors?: readonly {
      readonly message?: string
      readonly extensions?: { readonly code?: string }
    }[]
  }
  const [first] = problem.errors ?? []
  const code = problem.code ?? first?.extensions?.code ?? ''
  const said =
    problem.detail ?? first?.message ?? problem.title ?? `The gateway at ${url} answered ${status}.`
  const message = status === 401 ? `${said} ${hasToken ? signInAgain(url) : signIn(url)}` : said
  return new GatewayRefusal({ code, status, message: message.replaceAll('\n', ' ') })
}

const signIn = (url: string) => `Sign in with \`rostrum login --url ${url}\`, or set ROSTRUM_TOKEN.`
const signInAgain = (url: string) =>
  `Sign in again with \`rostrum login --url ${url}\`, or set another ROSTRUM_TOKEN.`

const unavailableCodes = ['OVERLOADED', 'UNAVAILABLE', 'INTERNAL']

function exitCodeOf(code: string, status: number) {
  if (status === 401 || status === 403 || code === 'UNAUTHENTICATED' || code === 'FORBIDDEN')
    return exitCodes.refused
  if (status === 429 || status >= 500 || unavailableCodes.includes(code)) return exitCodes.unavailable
  return code === 'PRECONDITION_FAILED' ? exitCodes.conflict : exitCodes.usage
}
