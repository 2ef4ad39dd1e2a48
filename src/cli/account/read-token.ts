import { text } from 'node:stream/consumers'
import { CliError, exitCodes, wrongUse } from '../frame/cli-error.ts'
import { checkToken } from '../gateway/check-token.ts'

const ctrlC = '\u0003'
const ctrlD = '\u0004'
const backspaces = ['\u0008', '\u007f']

/** Asks for a token without showing it; in a pipe reads it from stdin. Throws an error if there is none. */
export async function readToken(question: string): Promise<string> {
  const { stdin, stderr } = process
  // A terminal shows what is typed, so nothing is read from it without a question that hides it.
  if (stdin.isTTY && !stderr.isTTY)
    throw wrongUse(
      'Nobody can see the question for the token. Pipe the token into stdin, or set ROSTRUM_TOKEN.',
    )
  const token = (stdin.isTTY ? await askHidden(question) : await text(stdin)).trim()
  if (token === '')
    throw new CliError(exitCodes.refused, 'No token was given. Pipe one in, or paste it at the question.')
  return checkToken(token, 'This')
}

function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  // Before the question, because a token may be pasted as soon as it is read.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let typed = ''
  const end = (result: () => void) => {
    stdin.setRawMode(false)
    stdin.pause()
    stdin.off('data', read)
    stderr.write('\n')
    result()
  }
  function read(keys: string): void {
    for (const key of keys) {
      if (key === ctrlC) return end(() => reject(new CliError(exitCodes.interrupted, '')))
      if (key === '\r' || key === '\n' || key === ctrlD) return end(() => resolve(typed))
      typed = backspaces.includes(key) ? typed.slice(0, -1) : typed + key
    }
  }
  stdin.on('data', read)
  stdin.resume()
  return promise
}
