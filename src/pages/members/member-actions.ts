import { isCode } from '../gateway/gateway-error.ts'
import { ask, askOnce } from '../gateway/operation.ts'
import { addMember, type Membership, moveMember, type Pair, removeMember } from './member-documents.ts'

/** What was done, in words, and how to undo it. */
export interface Done {
  readonly text: string
  readonly undo: () => Promise<Done>
}

/** Adds the user to the team. */
export async function add({ userId, teamId }: Pair, verb = 'Added'): Promise<Done> {
  const request = ask(addMember, { input: { userId, teamId } })
  const { addTeamMembership: added } = await request.catch((error: unknown) => {
    throw isCode(error, 'CONFLICT') ? new Error(`User ${userId} is in team ${teamId} already.`) : error
  })
  const preposition = verb === 'Added' ? 'to' : 'into'
  return {
    text: `${verb} user ${userId} ${preposition} team ${teamId}.`,
    undo: () => remove(added),
  }
}

/** Moves a membership to this user and team, if nobody changed it since it was read. */
export async function move(membership: Membership, to: Pair): Promise<Done> {
  const { id, version, userId, teamId } = membership
  const request = askOnce(moveMember, { id, input: to, ifVersions: [version] })
  const { moveTeamMembership: moved } = await request.catch((error: unknown) => {
    if (isCode(error, 'CONFLICT')) throw new Error(`User ${to.userId} is in team ${to.teamId} already.`)
    throw explain(error)
  })
  return {
    text: `Moved user ${to.userId} from team ${teamId} to team ${to.teamId}.`,
    undo: () => move(moved, { userId, teamId }),
  }
}

/** Removes a membership, if nobody changed it since it was read. */
export async function remove({ id, version, userId, teamId }: Membership): Promise<Done> {
  await askOnce(removeMember, { id, ifVersions: [version] }).catch((error: unknown) => {
    throw explain(error)
  })
  return {
    text: `Removed user ${userId} from team ${teamId}.`,
    undo: () => add({ userId, teamId }, 'Took back'),
  }
}

/** Somebody else changed the membership. The page then says whether it shows how it is now. */
export class ChangedMeanwhile extends Error {}

function explain(error: unknown): unknown {
  const isChanged = isCode(error, 'PRECONDITION_FAILED') || isCode(error, 'NOT_FOUND')
  if (!isChanged) return error
  return new ChangedMeanwhile('Nothing was done: somebody else changed this membership meanwhile.')
}
