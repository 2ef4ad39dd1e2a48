/** What the seed holds, and so what every contender must answer. */
export const seeded = { users: 1_000, teams: 100, memberships: 20_000, cases: 4_200 } as const

export const accountCode = 'demo'

/** Each user is in 20 teams: membership `id` is the `rank`-th of its user. */
export function membershipOf(id: number): { id: number; userId: number; teamId: number; rank: number } {
  const userId = 1 + ((id - 1) % seeded.users)
  const rank = Math.floor((id - 1) / seeded.users)
  return { id, userId, teamId: 1 + ((userId * 7 + rank * 5) % seeded.teams), rank }
}

/**
 * Of the cases, the first ones have no hooks, the next ones a small hook before a save, and a few a megabyte each. Then
 * come those with one hook after a save, and those with several.
 */
export const caseTypes = [
  { code: 'plain', first: 1, count: 1_500 },
  { code: 'hooked', first: 1_501, count: 1_480 },
  { code: 'large', first: 2_981, count: 20 },
  { code: 'queued', first: 3_001, count: 1_000 },
  { code: 'fanned', first: 4_001, count: 200 },
] as const

/** About as many bytes as a row of a small form; a large case repeats it. */
export const caseDataOf = (id: number, total: number) => ({ title: `Case ${id}`, owner: `user-${id}`, total })

export const hooksOfFanned = 8

/** What each contender runs. */
export const sampleScript = 'log("total", payload.total)\nexit({ total: payload.total * 2 })'

export const emailOf = (userId: number) => `user-${userId}@example.com`
export const userNameOf = (userId: number) => `User ${userId}`
export const teamNameOf = (teamId: number) => `Team ${teamId}`
