import { Lexer, Source, type Token, TokenKind } from 'graphql'
import { copyAscii } from '../../json/surrogates.ts'

// Characters and tokens that are read to find a name. Calls begin with their first field, some way after the declared
// variables.
const maxCharacters = 32 * 2 ** 10
const maxTokens = 2_000
const maxNameLength = 100
const unnamed = 'graphql'

/** The name of a call: its first root field, or for a call to another host that host with its port. */
export function nameCall({ query, url }: { readonly query: string; readonly url: string | null }): string {
  return copyAscii((url === null ? nameDocument(query) : nameHost(url)).slice(0, maxNameLength))
}

function nameHost(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return unnamed
  const { hostname, port, protocol } = parsed
  return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`
}

// Reads only the beginning of a document, because it may be long and is parsed in the turn of the call.
function nameDocument(query: string): string {
  try {
    return findFirstField(query) ?? unnamed
  } catch {
    return unnamed
  }
}

type ReadToken = () => Token

function findFirstField(query: string): string | null {
  const lexer = new Lexer(new Source(query.slice(0, maxCharacters)))
  const known: Token[] = []
  let tokens = 0
  // Returns a reader of the tokens from the beginning. All readers together read up to the maximum. Each token is made
  // once, because a fragment that spreads itself is read many times.
  const start = (): ReadToken => {
    let next = 0
    return () => {
      tokens++
      if (tokens > maxTokens) throw new RangeError('The document has too many tokens before its first field.')
      const token = known[next] ?? lexer.advance()
      known[next++] = token
      return token
    }
  }
  return findInDefinition(start, null)
}

// Searches the fragment of that name; null stands for the first operation.
function findInDefinition(start: () => ReadToken, wanted: string | null): string | null {
  const read = start()
  for (let token = read(); token.kind !== TokenKind.EOF; token = read()) {
    const fragment = token.value === 'fragment' ? (read().value ?? null) : null
    if (token.kind !== TokenKind.BRACE_L) skipToSelection(read)
    if (fragment === wanted) return findInSelection(start, read)
    skipSelection(read)
  }
  return null
}

// Goes into inline fragments and spreads until it finds a field. Null if the selection is not well-formed.
function findInSelection(start: () => ReadToken, read: ReadToken): string | null {
  for (let token = read(); ; token = read()) {
    if (token.kind === TokenKind.NAME) return read().kind === TokenKind.COLON ? read().value : token.value
    if (token.kind !== TokenKind.SPREAD) return null
    const after = read()
    if (after.kind === TokenKind.NAME && after.value !== 'on') return findInDefinition(start, after.value)
    if (after.kind !== TokenKind.BRACE_L) skipToSelection(read)
  }
}

// Values in parentheses can have braces of their own.
function skipToSelection(read: ReadToken): void {
  for (let depth = 0, token = read(); depth > 0 || token.kind !== TokenKind.BRACE_L; token = read()) {
    if (token.kind === TokenKind.EOF) throw new SyntaxError('The document ends before its selection.')
    if (token.kind === TokenKind.PAREN_L) depth++
    if (token.kind === TokenKind.PAREN_R) depth--
  }
}

function skipSelection(read: ReadToken): void {
  for (let depth = 1; depth > 0; ) {
    const { kind } = read()
    if (kind === TokenKind.EOF) throw new SyntaxError('The document ends in a selection.')
    if (kind === TokenKind.BRACE_L) depth++
    if (kind === TokenKind.BRACE_R) depth--
  }
}
