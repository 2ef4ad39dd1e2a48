import type { WireAnswer } from '../wire/wire-answer.ts'
import { problemBody, statusOfCode } from './contract-shapes.ts'

/** Never in an answer: file paths, stack frames and SQL statements of the gateway. */
const leak = /node_modules|SQLITE|SqliteError|PostgresError|\.ts:\d|\bat \w+ \(|file:\/\/|rst_[\w-]{20}/

/** Headers that would let a browser's page in, or tell what we are made of. */
const unwanted = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'set-cookie',
  'server',
  'x-powered-by',
]

// Transport has better words than the catalogue for these; their code stays `BAD_USER_INPUT`.
const transportStatuses = [405, 406, 408, 417, 431]

const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export interface JudgedAnswer {
  readonly answer: WireAnswer
  readonly isHead: boolean
  /** Texts of the other account that must not be in it. */
  readonly secrets: readonly string[]
}

/** What is wrong with an answer whatever was asked: its status, headers and leaks. */
export function findCommonFaults({ answer, secrets }: JudgedAnswer): string[] {
  const { status, headers, text } = answer
  const whole = `${text}\n${[...headers.values()].join('\n')}`
  const says = (name: string) => headers.get(name) ?? ''
  // GraphiQL: a file of others, the same for everybody.
  const isPage = says('content-type').startsWith('text/html')
  const faults: [boolean, string][] = [
    // 503 is for `/ready`, as its route says.
    [status >= 500 && status !== 503, `status ${status}`],
    [!requestId.test(says('x-request-id')), 'no x-request-id'],
    [!isPage && leak.test(text), `leaks ${leak.exec(text)?.[0]}`],
    [status === 401 && !/^(Bearer|WebhookSignature)\b/.test(says('www-authenticate')), 'no challenge'],
    [status === 403 && !says('www-authenticate').includes('insufficient_scope'), 'no challenge for a scope'],
    [status === 429 && !/^[1-9]\d*$/.test(says('retry-after')), 'no Retry-After'],
    [status === 405 && says('allow') === '', 'no Allow'],
    [text !== '' && says('content-type') === '', 'no content type'],
    ...unwanted.map((name): [boolean, string] => [headers.has(name), `has the header ${name}`]),
    ...secrets.map((secret): [boolean, string] => [whole.includes(secret), `shows ${secret} of account B`]),
  ]
  return faults.filter(([isFault]) => isFault).map(([, what]) => what)
}

const needsReason = new Set<string>(['CONFLICT', 'PRECONDITION_FAILED'])

/** What is wrong with a refusal that must be a problem document (contract, section 2). */
export function findProblemFaults({ answer, isHead }: JudgedAnswer): string[] {
  const { status, headers, json, text } = answer
  const type = headers.get('content-type')
  const typeFaults =
    type === 'application/problem+json; charset=utf-8' ? [] : [`content type of a problem: ${type}`]
  if (isHead) return text === '' ? typeFaults : ['HEAD with a body']
  const parsed = problemBody.safeParse(json)
  if (!parsed.success) return [...typeFaults, `no problem document: ${parsed.error.message}`]
  const { code, reason, status: said, type: urn } = parsed.data
  const expected =
    transportStatuses.includes(status) && code === 'BAD_USER_INPUT' ? status : statusOfCode[code]
  return [
    ...typeFaults,
    ...(said === status ? [] : [`status ${status} but the document says ${said}`]),
    ...(expected === status ? [] : [`status ${status} for ${code}`]),
    ...(urn.endsWith(`:${code.toLowerCase().replaceAll('_', '-')}`) ? [] : [`type ${urn} for ${code}`]),
    ...(needsReason.has(code) === (reason !== undefined) ? [] : [`reason ${reason} for ${code}`]),
    ...findMissing(parsed.data),
  ]
}

type ProblemBody = ReturnType<typeof problemBody.parse>

function findMissing({ code, existing_id, version, live_version }: ProblemBody): string[] {
  if (code === 'CONFLICT') return existing_id === undefined ? ['no existing_id'] : []
  if (code === 'PRECONDITION_FAILED') return (version ?? live_version) === undefined ? ['no version'] : []
  return []
}
