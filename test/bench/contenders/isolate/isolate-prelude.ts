/** The globals of a script in the peers' isolates: the least that makes `payload`, `log` and `exit` work. */
export const prelude = `
  const [end, write, input] = [$0, $1, $2]
  globalThis.payload = JSON.parse(input)
  globalThis.log = (...data) => void write(JSON.stringify(data))
  globalThis.exit = value => {
    end(JSON.stringify(value))
    throw new Error('exit')
  }
`

/** The script as a function, so that it may use `await` at its top; to end by `exit` is no failure. */
export function wrap(sourceCode: string): string {
  return `(async () => {\n${sourceCode}\n})().catch(error => {
    if (error?.message !== 'exit') throw error
  })`
}
