import type { Team, User } from './store.ts'

/** Users and teams of an account, known from the first membership that names them (contract, section 1). */
export interface Directory {
  saveUser(accountCode: string, id: number, details: Partial<Omit<User, 'id'>>): Promise<User>
  saveTeam(accountCode: string, id: number, details: Partial<Omit<Team, 'id'>>): Promise<Team>
}
