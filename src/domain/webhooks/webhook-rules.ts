import { type FieldError, RostrumError } from '../../errors.ts'
import { isName, nameRule } from '../name.ts'
import { type Complete, completeBy, type GivenTrigger } from '../triggers/complete-trigger.ts'
import { isCredentialHeader } from './credential-headers.ts'
import type { WebhookInput, WebhookVerification } from './webhook-store.ts'

const maxHeaders = 32
const maxHeaderCharacters = 100

// Headers that frame the request or describe its body.
const framingHeaders = [
  'host',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'expect',
]

const headerRule = `must be the name of a header, of at most ${maxHeaderCharacters} characters`

type CheckedInput = Omit<WebhookInput, 'functionId'>

/**
 * Returns a function that completes `given` (contract, section 9, "Triggers"). The headers come out in lower case, each
 * once. `checkSecret` finds what is wrong with the secret that comes with it.
 */
export function completeWebhook(
  given: GivenTrigger<WebhookInput>,
  checkSecret: (verification: WebhookVerification) => readonly FieldError[],
): Complete<WebhookInput> {
  return before => {
    const check = (input: CheckedInput) => [...checkWebhook(input), ...checkSecret(input.verification)]
    const completed = completeBy<WebhookInput>({ ...webhookRules, check }, leaveHeader(given, before))(before)
    return completed instanceof RostrumError ? completed : { ...completed, ...normalizeHeaders(completed) }
  }
}

const webhookRules = {
  what: 'webhook',
  defaults: { header: null, headers: [], mode: 'queued', scopes: [], enabled: true },
  required: ['name', 'verification'],
  nullable: ['header'],
} as const

// Removes the stored header if the webhook no longer verifies by `SECRET`: only that verification may have one.
function leaveHeader(
  given: GivenTrigger<WebhookInput>,
  before: WebhookInput | null,
): GivenTrigger<WebhookInput> {
  const verification = given.verification === undefined ? before?.verification : given.verification
  return given.header === undefined && verification !== 'secret' ? { ...given, header: null } : given
}

function normalizeHeaders({ header, headers }: Pick<WebhookInput, 'header' | 'headers'>) {
  const lower = headers.map(name => name.toLowerCase())
  return { header: header?.toLowerCase() ?? null, headers: [...new Set(lower)] }
}

/** Finds what is wrong with a webhook. */
function checkWebhook(input: CheckedInput): FieldError[] {
  const { header, headers } = normalizeHeaders(input)
  const fields: FieldError[] = []
  const refuseIf = (isBad: boolean, pointer: string, detail: string) => {
    if (isBad) fields.push({ pointer, detail })
  }
  const needsHeader = input.verification === 'secret'
  refuseIf(!isName(input.name), '/name', nameRule)
  refuseIf(
    needsHeader && header === null,
    '/header',
    'is required by `SECRET`: it names the header of the secret',
  )
  refuseIf(!needsHeader && header !== null, '/header', 'is for `SECRET` alone')
  if (header !== null) {
    refuseIf(!isHeaderName(header), '/header', headerRule)
    refuseIf(framingHeaders.includes(header), '/header', 'must not be a header that HTTP itself needs')
  }
  refuseIf(headers.length > maxHeaders, '/headers', `must have at most ${maxHeaders} names`)
  for (const [index, name] of input.headers.slice(0, maxHeaders).entries()) {
    const lower = name.toLowerCase()
    refuseIf(!isHeaderName(lower), `/headers/${index}`, headerRule)
    const isCredential = isCredentialHeader(lower) || lower === header
    refuseIf(
      isCredential,
      `/headers/${index}`,
      'carries a credential by its name, which a function must not see',
    )
  }
  return fields
}

function isHeaderName(text: string): boolean {
  return text.length <= maxHeaderCharacters && /^[\w!#$%&'*+.^`|~-]+$/.test(text)
}

export function sameWebhookName(name: string, existingId: number): RostrumError {
  const message = `Webhook \`${existingId}\` has the name \`${name}\`. Choose another one.`
  return new RostrumError('CONFLICT', message, { reason: 'NAME_TAKEN', facts: { existingId } })
}

export function tooManyWebhooks(max: number): RostrumError {
  const message = `The account has \`${max}\` webhooks, the maximum. Remove one that is not needed.`
  return new RostrumError('CONFLICT', message, { reason: 'LIMIT' })
}
