import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { endWithParent } from '../../server/processes/end-with-parent.ts'

const openStoreModule = new URL('../../../src/store/open-store.ts', import.meta.url).href

const script = `
  const { openStore } = await import(${JSON.stringify(openStoreModule)})
  const [options, uid] = process.argv.slice(1)
  if (uid) process.setuid(Number(uid))
  try {
    await openStore(JSON.parse(options))
    console.log('open')
    setInterval(() => {}, 1000)
  } catch (error) {
    console.log(error.name + ': ' + error.message)
  }
`

interface Opened {
  readonly child: ChildProcess
  /** What the child said: \`open\`, or the name and message of the error. */
  readonly said: string
}

export interface OpenInChild {
  readonly url: string
  readonly serve?: boolean
  /** The user to become before the store is opened. */
  readonly uid?: number
  /** The largest file the child may write. */
  readonly maxFileKib?: number
}

/** Opens a store in another process, which holds it until it is killed. */
export async function openInChild({ uid, maxFileKib, ...options }: OpenInChild): Promise<Opened> {
  const args = ['--input-type=module', '-e', script, '--', JSON.stringify(options), uid ? String(uid) : '']
  const limited = ['-c', `ulimit -f ${maxFileKib}; exec "$0" "$@"`, process.execPath, ...args]
  const [command, commandArgs] = maxFileKib === undefined ? [process.execPath, args] : ['bash', limited]
  const child = spawn(command, commandArgs, { stdio: ['ignore', 'pipe', 'inherit'] })
  endWithParent(child)
  const said = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk
      if (text.endsWith('\n')) resolve(text.trimEnd())
    })
    child.on('error', reject)
    child.on('exit', code => reject(new Error(`The child said nothing and ended with ${code}.`)))
  })
  return { child, said }
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
