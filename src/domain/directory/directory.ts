import { type FieldError, invalidInput } from '../../errors.ts'
import { checkId } from '../id.ts'
import type { Store, Team, User } from '../store.ts'

const mostEmailCharacters = 320
const mostNameCharacters = 200

/** Users and teams of an account, known from the first membership that names them (contract, section 1). */
export interface Directory {
  saveUser(accountCode: string, id: number, details: Partial<Omit<User, 'id'>>): Promise<User>
  saveTeam(accountCode: string, id: number, details: Partial<Omit<Team, 'id'>>): Promise<Team>
}

/** Saves after checking; a bad detail is `BAD_USER_INPUT` with a pointer to each. */
export function createDirectory(store: Store): Directory {
  return {
    async saveUser(accountCode, id, details) {
      checkId(id, 'user id')
      refuseFields([
        checkDetail('/email', describeBadEmail(details.email)),
        checkDetail('/displayName', describeBadName(details.displayName)),
      ])
      return store.users.save(accountCode, id, details)
    },
    async saveTeam(accountCode, id, details) {
      checkId(id, 'team id')
      refuseFields([checkDetail('/name', describeBadName(details.name))])
      return store.teams.save(accountCode, id, details)
    },
  }
}

/** What is wrong with an email address; null where nothing is, or where there is none. */
export function describeBadEmail(email: string | null | undefined): string | null {
  if (email === undefined || email === null) return null
  if (email.length <= mostEmailCharacters && isStorable(email) && /^[^@\s]+@[^@\s]+$/.test(email)) return null
  return `must be an email address of at most ${mostEmailCharacters} characters, with one \`@\``
}

/** What is wrong with the name of a user or team; null where nothing is, or where there is none. */
export function describeBadName(name: string | null | undefined): string | null {
  if (name === undefined || name === null) return null
  if (name.length >= 1 && name.length <= mostNameCharacters && isStorable(name)) return null
  return `must have 1 to ${mostNameCharacters} characters`
}

/** PostgreSQL cannot hold a NUL, and no encoding holds half a surrogate pair: both would come back changed or not at all. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function checkDetail(pointer: string, problem: string | null): FieldError | null {
  return problem === null ? null : { pointer, detail: problem }
}

function refuseFields(problems: readonly (FieldError | null)[]): void {
  const fields = problems.filter(problem => problem !== null)
  if (fields.length > 0) throw invalidInput(fields)
}
