import { verificationHeaders } from './verify-delivery.ts'

const names: ReadonlySet<string> = new Set([...verificationHeaders, 'x-auth-key'])

// The last word of a name says what its value is.
const lastWords =
  /(^|-)(authorization|authentication|auth|cookie2?|credentials?|jwt|passphrase|password|secret|sig|signature|token)$/
const apiKey = /(^|-)(api|access|secret|private)-?key$/
// Signatures come with the name of their algorithm, or in parts.
const signature = /(^|-)(sig|signature|hmac|jwt)-/

/**
 * True for a header, in lower case, whose value proves who somebody is. A function never sees it (contract, section
 * 8).
 */
export function isCredentialHeader(name: string): boolean {
  const words = name.replaceAll('_', '-')
  return names.has(words) || lastWords.test(words) || apiKey.test(words) || signature.test(words)
}
