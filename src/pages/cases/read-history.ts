import { GatewayError } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import { type EventPage, type EventRequest, listEvents } from './case-documents.ts'

const pageSize = 20
const noEvents: EventPage = { nodes: [], pageInfo: { hasPreviousPage: false, startCursor: null } }

/**
 * Reads the newest 20 events of a case before a cursor. If their changes are too large for one answer, it reads fewer,
 * down to a single event without its changes.
 */
export async function readHistory(id: string, before: string | null): Promise<EventPage> {
  for (let last = pageSize; last > 0; last = Math.floor(last / 2)) {
    const events = await readEvents({ id, before, last, withChanges: true }).catch(expectTooLarge)
    if (events !== null) return events
  }
  return readEvents({ id, before, last: 1, withChanges: false })
}

async function readEvents(request: EventRequest): Promise<EventPage> {
  return (await ask(listEvents, request)).case?.events ?? noEvents
}

function expectTooLarge(error: unknown): null {
  if (error instanceof GatewayError && error.bound === 'answerBytes') return null
  throw error
}
