import { registerHooks } from 'node:module'

const file = '/node_modules/postgres/src/connection.js'

// What a lost connection does to those on it, in version 3.4.9 (issues 1154 and 1208 of porsager/postgres, and as yet unmended).
const mends = [
  // Bytes that were not sent yet, and the timer to send them: with the timer set nothing is ever sent on the next socket.
  ['    socket = null\n\n    if (initial)', '    socket = chunk = nextWriteTimer = null\n\n    if (initial)'],
  // A statement that came between the error and the close waited for ever, and then took the answer of a later one.
  ['    !hadError && (query || sent.length) && error(', '    ;(query || sent.length) && error('],
  // The place of the next row in an answer: cut behind a row, the next answer began with a hole, and its row was not found. And the
  // statement itself, for whose end the pool waited when it was closed.
  [
    '    closedTime = performance.now()\n',
    '    rows = 0\n    query = results = errorResponse = null\n    result = new Result()\n    closedTime = performance.now()\n',
  ],
  // A transaction's ROLLBACK after the close ended the process.
  [
    '    const x = socket.write(chunk, fn)\n',
    `    if (socket === null) {
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options))
      return false
    }
    const x = socket.write(chunk, fn)\n`,
  ],
] as const

/** Does an import that takes the driver of PostgreSQL in, mended. */
export async function importWithDriver<Module>(doImport: () => Promise<Module>): Promise<Module> {
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith(file)) return loaded
      return { ...loaded, source: mend(new TextDecoder().decode(loaded.source as Uint8Array)) }
    },
  })
  try {
    return await doImport()
  } finally {
    hooks.deregister()
  }
}

function mend(source: string): string {
  return mends.reduce((text, [wrong, right]) => {
    if (text.split(wrong).length !== 2)
      throw new Error(`The driver of PostgreSQL is another than was mended: ${wrong}`)
    return text.replace(wrong, () => right)
  }, source)
}
