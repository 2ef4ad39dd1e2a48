import { sendRequest } from '../../server/clients/send-request.ts'
import { requestOf, type TrafficKind } from '../load/traffic.ts'
import type { ServerProcess } from '../servers/server-process.ts'

export interface Comparison {
  readonly servers: readonly ServerProcess[]
  readonly kind: TrafficKind
  readonly token: string
  /** Takes out of a body what differs from one answer to the next. */
  readonly normalize?: (text: string) => string
}

const asked = [0, 1, 2, 500]

/**
 * Asks all servers the same and fails unless status and body are those of the first, byte for byte, and a bad token is
 * refused.
 */
export async function compareAnswers(comparison: Comparison): Promise<void> {
  const { servers, kind, token, normalize = text => text } = comparison
  const expected = new Map<number, string>()
  for (const server of servers) {
    for (const n of asked) {
      const answer = await ask(server, kind, n, token)
      const seen = `${answer.status} ${normalize(answer.text)}`
      const wanted = expected.get(n) ?? seen
      expected.set(n, wanted)
      const { status, answerStart } = requestOf(kind, n)
      const isRight = answer.status === status && answer.text.startsWith(answerStart) && seen === wanted
      if (!isRight) throw new Error(`${server.name} answers ${kind} with ${cut(seen)}; wanted ${cut(wanted)}`)
    }
    const refused = await ask(server, kind, 0, 'no-such-token')
    if (refused.status !== 401) {
      throw new Error(`${server.name} answers a bad token with ${refused.status} and not 401.`)
    }
  }
}

function ask({ port }: ServerProcess, kind: TrafficKind, n: number, token: string) {
  const { method, path, headers, body } = requestOf(kind, n)
  return sendRequest({
    url: `http://127.0.0.1:${port}${path}`,
    method,
    token,
    ...(headers && { headers }),
    ...(body === undefined ? {} : { body }),
  })
}

const cut = (text: string) => (text.length > 500 ? `${text.slice(0, 500)}…` : text)
