import type { GatewayClient } from './gateway-client.ts'
import { readEventStream } from './read-event-stream.ts'
import type { GraphqlBody } from './wire-shapes.ts'

/** An event of a membership as a follower sees it. */
export interface FollowedEvent {
  readonly cursor: string
  readonly kind: string
  readonly teamMembershipId: string
}

type Result = GraphqlBody<{ readonly teamMembershipChanged: FollowedEvent }>

export interface Follower {
  readonly status: number
  readonly headers: Headers
  /** All that has come so far, and when it came (`performance.now()`). */
  readonly events: readonly (FollowedEvent & { readonly cameAt: number })[]
  /** What came in the place of an event. */
  readonly errors: NonNullable<Result['errors']>[number][]
  /** Resolves once nothing more comes: true where the gateway said so (`complete`). */
  readonly ended: Promise<boolean>
  /** Disconnects. */
  cut(): void
}

interface Follow {
  readonly after?: string
  readonly token?: string
}

const query =
  'subscription Follow($after: String) { teamMembershipChanged(after: $after) { cursor kind teamMembershipId } }'

/** Follows the changes of memberships over SSE; resolves once the stream has begun, or was refused. */
export async function followEvents(
  server: Pick<GatewayClient, 'baseUrl' | 'adminToken'>,
  { after, token = server.adminToken }: Follow = {},
): Promise<Follower> {
  const leaving = new AbortController()
  const response = await fetch(`${server.baseUrl}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query, variables: { after } }),
    signal: leaving.signal,
  })
  const events: (FollowedEvent & { cameAt: number })[] = []
  const errors: NonNullable<Result['errors']>[number][] = []

  async function read(): Promise<boolean> {
    if (response.body === null || !response.headers.get('content-type')?.includes('event-stream'))
      return false
    for await (const { event, data } of readEventStream(response.body)) {
      if (event === 'complete') return true
      const { data: found, errors: failures = [] } = JSON.parse(data) as Result
      if (found != null) events.push({ ...found.teamMembershipChanged, cameAt: performance.now() })
      errors.push(...failures)
    }
    return false
  }

  return {
    status: response.status,
    headers: response.headers,
    events,
    errors,
    ended: read().catch(() => false),
    cut: () => leaving.abort(),
  }
}
