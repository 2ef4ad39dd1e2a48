/** What a link, an example and a draft fill in. */
export interface Fields {
  readonly script: string
  readonly input: string
  readonly options: string
}

const maxFragment = 8_192
const maxInflatedBytes = 262_144
const prefix = 'code='

/** Returns the fragment of a link with these fields, without `#`. Throws if it is too large. */
export async function writeLink({ script, input, options }: Fields): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify({ script, input, options }))
  if (bytes.length > maxInflatedBytes) throw tooLarge()
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const packed = new Uint8Array(await new Response(stream).arrayBuffer())
  const fragment = prefix + packed.toBase64({ alphabet: 'base64url', omitPadding: true })
  if (fragment.length > maxFragment) throw tooLarge()
  return fragment
}

/** Returns the fields of a link. Throws if it is too large or damaged. */
export async function readLink(hash: string): Promise<Fields> {
  if (hash.length > maxFragment + 1) throw tooLarge()
  const text = await inflate(hash.slice(prefix.length + 1))
  const { script, input = '{}', options = '{}' } = parse(text)
  if (![script, input, options].every(field => typeof field === 'string')) throw damaged()
  return { script, input, options } as Fields
}

async function inflate(packed: string): Promise<string> {
  let length = 0
  const parts: Uint8Array<ArrayBuffer>[] = []
  const stream = new Blob([unpack(packed)]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const reader = stream.getReader()
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw damaged()
    })
    if (done) break
    length += value.length
    if (length > maxInflatedBytes) {
      reader.cancel().catch(() => {})
      throw tooLarge()
    }
    parts.push(value)
  }
  return new Blob(parts).text()
}

function unpack(packed: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(packed, { alphabet: 'base64url' })
  } catch {
    throw damaged()
  }
}

function parse(text: string): Partial<Record<keyof Fields, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    throw damaged()
  }
}

function tooLarge(): Error {
  return new Error(
    'This link is too large: at most 8 KB, and 256 KB unpacked. Save the script as a function instead, and share that.',
  )
}

function damaged(): Error {
  return new Error('This link is damaged. Ask for it again; nothing was changed here.')
}
