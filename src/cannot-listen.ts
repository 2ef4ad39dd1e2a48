import { StartError } from './errors.ts'

/** Where a server listens, and the setting that names its port. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly setting: 'PORT' | 'ROSTRUM_METRICS_PORT'
}

/** Returns the error for a server that cannot listen. It says why, and what to do. */
export function cannotListen(cause: unknown, { host, port, setting }: Listening): StartError {
  const what = setting === 'PORT' ? 'listen' : 'serve metrics'
  const reason = explainListening(cause, setting)
  return new StartError(`Cannot ${what} on HOST=${host} ${setting}=${port}: ${reason}.`, { cause })
}

function explainListening(error: unknown, port: Listening['setting']): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `the port is in use; stop the process that uses it, or set another ${port}`
    case 'EACCES':
      return `not allowed; set a ${port} above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'this machine has no such address; set another HOST'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}
