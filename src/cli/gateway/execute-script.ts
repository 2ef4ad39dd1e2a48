import { basename } from 'node:path'
import { readEvents } from '../../pages/gateway/read-events.ts'
import { CliError, exitCodes } from '../frame/cli-error.ts'
import { endSilent } from './end-silent.ts'
import type { Execution, LogEntry } from './execution.ts'
import { type GatewayClient, GatewayRefusal, notRostrum } from './gateway-client.ts'
import { requireLike } from './require-like.ts'

/** A script to run, with its documents as JSON texts. */
export interface ScriptToRun {
  readonly name: string
  readonly sourceCode: string
  readonly input: string
  readonly options: string
  readonly caseTypeCode: string | null
}

/** Runs a script on a gateway, and reports each log entry when the script writes it. */
export async function executeScript(
  { url, post }: GatewayClient,
  { name, sourceCode, input, options, caseTypeCode }: ScriptToRun,
  onLog: (entry: LogEntry) => void,
): Promise<Execution> {
  const metadata = caseTypeCode === null ? {} : { metadata: { case_type_code: caseTypeCode } }
  const content = { name, sourceCode, inputDocument: input, options, ...metadata }
  const answer = await post('/api/1/endpoint/execute', content, 'text/event-stream', 'script').catch(
    (error: unknown) => {
      throw error instanceof GatewayRefusal ? nameScript(error) : error
    },
  )
  try {
    for await (const { event, data } of readEvents(findStream(answer, url))) {
      if (event === 'log') onLog(JSON.parse(data) as LogEntry)
      if (event === 'end') {
        const { task_execution: execution } = JSON.parse(data) as { readonly task_execution: Execution }
        return requireLike(url, execution, { outcome: '' })
      }
    }
  } catch (error) {
    // The gateway has the run by now, so any other error is one of the connection.
    if (error instanceof CliError) throw error
  }
  throw new CliError(
    exitCodes.unavailable,
    `The connection to ${url} broke before the run ended. Run \`rostrum logs\` to see whether it did.`,
  )
}

// A person gave the script in a file, not in a member of a request.
function nameScript({ code, status, message, facts }: GatewayRefusal): GatewayRefusal {
  return new GatewayRefusal({ code, status, facts, message: message.replace('`sourceCode`', 'The script') })
}

/**
 * Returns the events of an answer, which end early if the gateway falls silent. Throws the error for a server that does
 * not answer with events.
 */
export function findStream(
  { headers, body }: Response,
  url: string,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || body === null) throw notRostrum(url)
  return endSilent(body)
}

/** The name that a run of a file has by default: the file's, without `.js`. */
export function nameOfFile(path: string): string {
  return path === '-' ? 'script' : basename(path).replace(/\.[cm]?js$/, '')
}
