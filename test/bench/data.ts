/** What the seed holds, and so what every contender must answer. */
export const seeded = { users: 1_000, teams: 100, memberships: 20_000 } as const

export const accountCode = 'demo'

/** Each user is in 20 teams: membership `id` is the `rank`-th of its user. */
export function membershipOf(id: number): { id: number; userId: number; teamId: number; rank: number } {
  const userId = 1 + ((id - 1) % seeded.users)
  const rank = Math.floor((id - 1) / seeded.users)
  return { id, userId, teamId: 1 + ((userId * 7 + rank * 5) % seeded.teams), rank }
}

export const emailOf = (userId: number) => `user-${userId}@example.com`
export const userNameOf = (userId: number) => `User ${userId}`
export const teamNameOf = (teamId: number) => `Team ${teamId}`
