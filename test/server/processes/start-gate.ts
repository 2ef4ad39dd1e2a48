import type { ServerResponse } from 'node:http'
import { sendJson, startUpstream } from '../gateways/start-upstream.ts'

export interface Gate {
  /** As it goes into the allow-list. */
  readonly host: string
  /** A line of a script that waits at the gate. */
  readonly wait: string
  /** How many calls have come so far. */
  arrived(): number
  /** Answers all that wait. */
  open(): void
  close(): Promise<void>
}

/**
 * Starts a host that answers when the test releases it, so that the test decides how long a calling run lasts. For
 * scripts on a shared gateway, give the `urlForScripts` of that gateway.
 */
export async function startGate(urlForScripts = (url: string) => url): Promise<Gate> {
  const waiting: ServerResponse[] = []
  const upstream = await startUpstream((_, response) => void waiting.push(response))
  return {
    host: upstream.host,
    wait: `await graphql('{ x }', {}, '${urlForScripts(upstream.url)}/')`,
    arrived: () => upstream.requests.length,
    open() {
      for (const response of waiting.splice(0)) sendJson(response, { data: null })
    },
    close: upstream.close,
  }
}
