import { type FieldError, invalidInput } from '../../errors.ts'
import { isName, nameRule } from '../name.ts'
import { isCredentialHeader } from './credential-headers.ts'
import type { WebhookInput } from './webhook-store.ts'

const maxHeaders = 32
const maxHeaderCharacters = 100

// They frame the request or describe its body.
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

/**
 * Gives the webhook with its headers in lower case, each once. Throws `BAD_USER_INPUT` with a pointer to each bad
 * field.
 */
export function checkWebhook(input: WebhookInput): WebhookInput {
  const header = input.header?.toLowerCase() ?? null
  const headers = [...new Set(input.headers.map(name => name.toLowerCase()))]
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
  if (fields.length > 0) throw invalidInput(fields)
  return { ...input, header, headers, scopes: [...new Set(input.scopes)] }
}

function isHeaderName(text: string): boolean {
  return text.length <= maxHeaderCharacters && /^[\w!#$%&'*+.^`|~-]+$/.test(text)
}
