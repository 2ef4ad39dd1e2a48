import { ask } from '../gateway/operation.ts'
import { type EventPage, type EventRange, type MembershipEvent, readEvents } from './member-documents.ts'
import type { Side } from './view-memberships.ts'

// Events are of the whole account. This many are looked through at a time for those of one team or user.
const searchedAtOnce = 1_000

/** The changes of one team or user among the newest ones of the account. */
export interface FoundEvents {
  /** Newest first. */
  readonly rows: readonly MembershipEvent[]
  /** How many changes of the account were looked through. */
  readonly searched: number
  /** Where the earlier changes end; null if all were looked through. */
  readonly earliest: string | null
  /** Where later changes begin; null if the account had none. */
  readonly latest: string | null
}

/** Whose changes are looked for. */
interface Wanted {
  readonly side: Side
  readonly id: string
}

/** Looks through the newest changes of the account. */
export async function findEvents(wanted: Wanted): Promise<FoundEvents> {
  const { nodes, pageInfo } = await readPage({ last: searchedAtOnce })
  return {
    rows: choose(nodes, wanted),
    searched: nodes.length,
    earliest: pageInfo.hasPreviousPage ? pageInfo.startCursor : null,
    latest: pageInfo.endCursor,
  }
}

/** Looks through the changes before those that were looked through. */
export async function findEarlier(wanted: Wanted, found: FoundEvents): Promise<FoundEvents> {
  const { nodes, pageInfo } = await readPage({ last: searchedAtOnce, before: found.earliest })
  return {
    ...found,
    rows: [...found.rows, ...choose(nodes, wanted)],
    searched: found.searched + nodes.length,
    earliest: pageInfo.hasPreviousPage ? pageInfo.startCursor : null,
  }
}

/** Looks through the changes that came since. */
export async function findLater(wanted: Wanted, found: FoundEvents): Promise<FoundEvents> {
  const { nodes, pageInfo } = await readPage({ first: searchedAtOnce, after: found.latest })
  return {
    ...found,
    rows: [...choose(nodes, wanted), ...found.rows],
    searched: found.searched + nodes.length,
    latest: pageInfo.endCursor ?? found.latest,
  }
}

const noEvents: EventPage = {
  nodes: [],
  pageInfo: { hasPreviousPage: false, startCursor: null, endCursor: null },
}

async function readPage(range: EventRange): Promise<EventPage> {
  return (await ask(readEvents, range)).teamMembershipEvents ?? noEvents
}

function choose(nodes: readonly MembershipEvent[], { side, id }: Wanted): MembershipEvent[] {
  const key = side === 'team' ? 'teamId' : 'userId'
  return nodes.filter(({ before, after }) => before?.[key] === id || after?.[key] === id).reverse()
}
