import { problemBody, statusOfCode } from './contract-shapes.ts'
import type { WireAnswer } from './wire-answer.ts'

/** Never in an answer: paths, frames and statements of ours, whatever was asked. */
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
  // GraphiQL: a file of others, the same for everybody.
  const isPage = headers.get('content-type')?.startsWith('text/html')
  const whole = `${text}\n${[...headers.values()].join('\n')}`
  return [
    ...(status >= 500 ? [`status ${status}`] : []),
    ...(requestId.test(headers.get('x-request-id') ?? '') ? [] : ['no x-request-id']),
    ...unwanted.filter(name => headers.has(name)).map(name => `has the header ${name}`),
    ...(isPage || !leak.test(text) ? [] : [`leaks ${leak.exec(text)?.[0]}`]),
    ...secrets.filter(secret => whole.includes(secret)).map(secret => `shows ${secret} of the other account`),
    ...(status === 401 && !/^Bearer\b/.test(headers.get('www-authenticate') ?? '') ? ['no challenge'] : []),
    ...(status === 403 && !/insufficient_scope/.test(headers.get('www-authenticate') ?? '')
      ? ['no challenge that names the scope']
      : []),
    ...(status === 429 && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? '') ? ['no Retry-After'] : []),
    ...(status === 405 && !headers.has('allow') ? ['no Allow'] : []),
    ...(text !== '' && !headers.has('content-type') ? ['no content type'] : []),
  ]
}

/** What is wrong with a refusal that must be a problem document (contract, section 2). */
export function findProblemFaults({ answer, isHead }: JudgedAnswer): string[] {
  const { status, headers, json, text } = answer
  const type = headers.get('content-type')
  const typeFaults =
    type === 'application/problem+json; charset=utf-8' ? [] : [`content type of a problem: ${type}`]
  if (isHead) return text === '' ? typeFaults : ['HEAD with a body']
  const parsed = problemBody.safeParse(json)
  if (!parsed.success) return [...typeFaults, `no problem document: ${parsed.error.message}`]
  const { code, status: said, type: urn } = parsed.data
  const expected =
    transportStatuses.includes(status) && code === 'BAD_USER_INPUT' ? status : statusOfCode[code]
  return [
    ...typeFaults,
    ...(said === status ? [] : [`status ${status} but the document says ${said}`]),
    ...(expected === status ? [] : [`status ${status} for ${code}`]),
    ...(urn.endsWith(`:${code.toLowerCase().replaceAll('_', '-')}`) ? [] : [`type ${urn} for ${code}`]),
    ...(code === 'CONFLICT' && parsed.data.existing_id === undefined ? ['no existing_id'] : []),
    ...(code === 'PRECONDITION_FAILED' && parsed.data.version === undefined ? ['no version'] : []),
  ]
}
