import { type FieldError, invalidInput } from '../../errors.ts'
import { countCharacters } from '../../json/count-characters.ts'
import type { PlainOrigin } from '../port.ts'
import { describeUnstorable } from '../storable-text.ts'
import type { Store } from '../store.ts'
import type { Team, User } from './directory-store.ts'
import { adminTokenLabel } from './first-start.ts'

const maxEmailCharacters = 320
const maxNameCharacters = 200

/**
 * Users and teams of an account. A user or team exists from the first membership that names it (contract, section 1).
 */
export interface Directory {
  saveUser(origin: PlainOrigin, id: number, details: Partial<Omit<User, 'id'>>): Promise<User>
  saveTeam(origin: PlainOrigin, id: number, details: Partial<Omit<Team, 'id'>>): Promise<Team>
  /** Returns the bytes that count toward ROSTRUM_ACCOUNT_STORE_BYTES. */
  findStoredBytes(accountCode: string): Promise<number>
}

/** Creates the rules of the directory. `BAD_USER_INPUT` has a pointer to each bad detail. */
export function createDirectory(store: Store): Directory {
  return {
    async saveUser(origin, id, details) {
      refuseFields([
        checkDetail('/email', describeBadEmail(details.email)),
        checkDetail('/displayName', describeBadName(details.displayName)),
      ])
      return store.users.save(origin, id, details)
    },
    async saveTeam(origin, id, details) {
      refuseFields([checkDetail('/name', describeBadName(details.name))])
      return store.teams.save(origin, id, details)
    },
    findStoredBytes: store.accounts.findStoredBytes,
  }
}

/** Says what is wrong with an email address. Returns null if it is valid or absent. */
export function describeBadEmail(email: string | null | undefined): string | null {
  if (email === undefined || email === null) return null
  if (countCharacters(email, maxEmailCharacters) > maxEmailCharacters || !/^[^@\s]+@[^@\s]+$/.test(email))
    return `must be an email address of at most ${maxEmailCharacters} characters, with one \`@\``
  return describeUnstorable(email)
}

/** Says what is wrong with the name of a user or team. Returns null if it is valid or absent. */
export function describeBadName(name: string | null | undefined): string | null {
  if (name === undefined || name === null) return null
  if (name === '' || countCharacters(name, maxNameCharacters) > maxNameCharacters)
    return `must have 1 to ${maxNameCharacters} characters`
  return describeUnstorable(name)
}

/** Says what is wrong with the label of a token. Returns null if it is valid or absent. */
export function describeBadLabel(label: string | undefined): string | null {
  if (label === undefined) return null
  if (label === adminTokenLabel) return `cannot be \`${label}\`, the label of the token of that setting`
  if (!/^[^\p{Cc}]{1,100}$/u.test(label))
    return 'must have 1 to 100 characters, none of them a control character'
  return describeUnstorable(label)
}

function checkDetail(pointer: string, problem: string | null): FieldError | null {
  return problem === null ? null : { pointer, detail: problem }
}

function refuseFields(problems: readonly (FieldError | null)[]): void {
  const fields = problems.filter(problem => problem !== null)
  if (fields.length > 0) throw invalidInput(fields)
}
