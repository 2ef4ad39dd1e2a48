import { hash } from 'node:crypto'
import { type FieldError, invalidInput } from '../../errors.ts'
import { countCharacters } from '../../json/count-characters.ts'
import { isName, nameRule } from '../name.ts'
import type { Origin } from '../port.ts'
import type { Execution } from '../scripts/run.ts'
import { makeCause } from '../scripts/run-cause.ts'
import type { Asking, Script, Scripts } from '../scripts/script.ts'
import { describeUnstorable } from '../storable-text.ts'
import { noFunction, noVersion } from './function-refusals.ts'
import type {
  FunctionLimits,
  FunctionName,
  FunctionStore,
  IfLive,
  NextLive,
  StoredFunction,
} from './function-store.ts'

const limits: FunctionLimits = { functions: 1_000, versions: 100 }
const maxCommentCharacters = 1_000

/** A new version, as its author sends it. */
export interface FunctionInput extends FunctionName {
  readonly sourceCode: string
  readonly comment: string | null
  readonly makeLive: boolean
  readonly ifLive: IfLive
}

/**
 * A function to run, with its input. If the case type has no function of this name, the one without a case type runs.
 */
export interface FunctionCall extends FunctionName, Pick<Script, 'payload' | 'options'> {
  /** The hash of the version to run; null for the live one. */
  readonly version: string | null
}

/** The rules of functions (contract, section 7). */
export interface Functions {
  /**
   * Checks an input. Throws `BAD_USER_INPUT` with a pointer to each bad field. Call it first, then compile the source,
   * then call `save`.
   */
  check(input: FunctionInput): void
  /**
   * Saves a checked version. Rejects with `PRECONDITION_FAILED` if the live version does not meet `ifLive`, and with
   * `CONFLICT` if the account has the maximum number of functions.
   */
  save(origin: Origin, input: FunctionInput): Promise<StoredFunction>
  /** Makes a version live. Rejects with `NOT_FOUND` for an unknown function or version, and `PRECONDITION_FAILED`. */
  makeLive(origin: Origin, id: number, version: NextLive): Promise<StoredFunction>
  /**
   * Removes the function with this id, or with exactly this name, and returns it as it was. Rejects with `NOT_FOUND`,
   * `PRECONDITION_FAILED`, or a `CONFLICT` that names the triggers that use it.
   */
  remove(origin: Origin, which: number | FunctionName, ifLive: IfLive): Promise<StoredFunction>
  findByName(accountCode: string, given: FunctionName): Promise<StoredFunction | null>
  /** Returns the function with exactly this case type code. A null code means a function without a case type. */
  findExact(accountCode: string, given: FunctionName): Promise<StoredFunction | null>
  /** Runs a function. Rejects as `Scripts.run` does, and with `NOT_FOUND` for an unknown function or version. */
  run(asking: Asking, call: FunctionCall): Promise<Execution>
  listAfter: FunctionStore['listAfter']
}

export function createFunctions(store: FunctionStore, scripts: Scripts): Functions {
  async function findRunnable(accountCode: string, given: FunctionName, hash: string | null) {
    if (!isName(given.name)) throw noFunction(given.name)
    const isBadHash = hash !== null && !isHash(hash)
    const result = await store.findRunnable(accountCode, withUsableCode(given), isBadHash ? null : hash)
    if (result.kind === 'missing')
      throw result.what === 'function' ? noFunction(given.name) : noVersion(hash ?? '')
    if (isBadHash) throw noVersion(hash)
    return result.runnable
  }

  return {
    check({ name, caseTypeCode, sourceCode, comment }) {
      const fields: FieldError[] = []
      const refuse = (pointer: string, detail: string | null) => {
        if (detail !== null) fields.push({ pointer, detail })
      }
      refuse('/name', isName(name) ? null : nameRule)
      refuse('/caseTypeCode', caseTypeCode === null || isName(caseTypeCode) ? null : nameRule)
      refuse('/sourceCode', describeBadSource(sourceCode))
      refuse('/comment', comment === null ? null : describeBadComment(comment))
      if (fields.length > 0) throw invalidInput(fields)
    },

    async save(origin, input) {
      const { sourceCode } = input
      const version = hash('sha256', sourceCode)
      const sourceBytes = Buffer.byteLength(JSON.stringify(sourceCode))
      const { function: saved, isNew } = await store.save(
        origin,
        { ...input, hash: version, sourceBytes },
        limits,
      )
      return { ...saved, saved: { version, created: isNew } }
    },

    async makeLive(origin, id, version) {
      const { hash } = version
      if (isHash(hash)) return store.makeLive(origin, id, version)
      const [found] = await store.findByIds(origin.accountCode, [id])
      throw found === undefined ? noFunction(id) : noVersion(hash)
    },

    async remove(origin, which, ifLive) {
      if (typeof which !== 'number' && !canExist(which)) throw noFunction(which)
      return store.remove(origin, which, ifLive)
    },

    findByName: async (accountCode, given) =>
      isName(given.name) ? store.findByName(accountCode, withUsableCode(given)) : null,

    findExact: async (accountCode, given) => (canExist(given) ? store.findExact(accountCode, given) : null),

    async run(asking, { version, payload, options, ...given }) {
      const { id, name, hash, sourceCode } = await findRunnable(asking.caller.accountCode, given, version)
      const cause = makeCause({ trigger: 'function', function: { id, name, hash } })
      const { caseTypeCode } = given
      const script = { cause, name, sourceCode, payload, options, caseTypeCode, rights: 'caller' } as const
      return scripts.run(script, asking)
    },

    listAfter: store.listAfter,
  }
}

/** Returns why a text cannot be the source of a function, worded as what follows its name; null if it can. */
export function describeBadSource(sourceCode: string): string | null {
  const problem = describeUnstorable(sourceCode)
  return problem === null ? null : `${problem}: write it as an escape, such as \`\\0\` or \`\\ud800\``
}

function describeBadComment(comment: string): string | null {
  if (countCharacters(comment, maxCommentCharacters) > maxCommentCharacters)
    return `must have at most ${maxCommentCharacters} characters`
  return describeUnstorable(comment)
}

/** True for a text that can be a version's hash. A database may refuse to compare other texts. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

// Replaces a case type code that no function can have by null, because a database may refuse to compare it.
function withUsableCode({ name, caseTypeCode }: FunctionName): FunctionName {
  return { name, caseTypeCode: caseTypeCode !== null && isName(caseTypeCode) ? caseTypeCode : null }
}

// True if a function with this name and code can exist. A database may refuse to compare other texts.
function canExist({ name, caseTypeCode }: FunctionName): boolean {
  return isName(name) && (caseTypeCode === null || isName(caseTypeCode))
}
