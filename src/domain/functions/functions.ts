import { createHash } from 'node:crypto'
import { type FieldError, invalidInput, RostrumError } from '../../errors.ts'
import { isStorable } from '../directory/directory.ts'
import { checkId } from '../id.ts'
import { isName, nameRule } from '../name.ts'
import type { Origin } from '../store.ts'
import type {
  FunctionLimits,
  FunctionName,
  FunctionStore,
  RunnableFunction,
  StoredFunction,
} from './function-store.ts'

const limits: FunctionLimits = { functions: 1_000, versions: 100 }
const maxCommentCharacters = 1_000
// Longer texts are cut in messages.
const maxShownCharacters = 70
// More are not listed in messages.
const maxShownTriggers = 10

/** A version as its author gives it. */
export interface FunctionInput extends FunctionName {
  readonly sourceCode: string
  readonly comment: string | null
  readonly makeLive: boolean
}

/** The rules of functions (contract, section 7). */
export interface Functions {
  /** `BAD_USER_INPUT` with a pointer to each bad field. Compile the source between this and `save`. */
  check(input: FunctionInput): void
  /** Saves a checked version. `CONFLICT` if the account has the maximum of functions. */
  save(origin: Origin, input: FunctionInput): Promise<StoredFunction>
  /** `NOT_FOUND` for an unknown function or version. */
  makeLive(origin: Origin, id: number, hash: string): Promise<StoredFunction>
  /** Gives the function as it was. `NOT_FOUND`, or `CONFLICT` that names the triggers that use it. */
  remove(origin: Origin, id: number): Promise<StoredFunction>
  findByName(accountCode: string, given: FunctionName): Promise<StoredFunction | null>
  /** The version to run, the live one if `hash` is null. `NOT_FOUND` for an unknown function or version. */
  findRunnable(accountCode: string, given: FunctionName, hash: string | null): Promise<RunnableFunction>
  listAfter: FunctionStore['listAfter']
}

export function createFunctions(store: FunctionStore): Functions {
  return {
    check({ name, caseTypeCode, sourceCode, comment }) {
      const fields: FieldError[] = []
      const refuseUnless = (isGood: boolean, pointer: string, detail: string) => {
        if (!isGood) fields.push({ pointer, detail })
      }
      refuseUnless(isName(name), '/name', nameRule)
      refuseUnless(caseTypeCode === null || isName(caseTypeCode), '/caseTypeCode', nameRule)
      refuseUnless(isStorable(sourceCode), '/sourceCode', sourceRule)
      refuseUnless(comment === null || isComment(comment), '/comment', commentRule)
      if (fields.length > 0) throw invalidInput(fields)
    },

    async save(origin, input) {
      const { sourceCode } = input
      const hash = createHash('sha256').update(sourceCode).digest('hex')
      const sourceBytes = Buffer.byteLength(JSON.stringify(sourceCode))
      const result = await store.save(origin, { ...input, hash, sourceBytes }, limits)
      if (result.kind === 'saved') return result.function
      throw new RostrumError(
        'CONFLICT',
        `The account has \`${limits.functions}\` functions, the maximum. Remove one that is not needed.`,
        { reason: 'LIMIT' },
      )
    },

    async makeLive(origin, id, hash) {
      checkId(id, 'function id')
      const result = isHash(hash)
        ? await store.makeLive(origin, id, hash)
        : await store.findByIds(origin.accountCode, [id]).then(explainBadHash)
      if (result.kind === 'made live') return result.function
      throw result.what === 'function' ? noFunction(String(id)) : noVersion(hash)
    },

    async remove(origin, id) {
      checkId(id, 'function id')
      const result = await store.remove(origin, id)
      switch (result.kind) {
        case 'removed':
          return result.function
        case 'missing':
          throw noFunction(String(id))
        case 'used':
          throw new RostrumError(
            'CONFLICT',
            `Function \`${id}\` is used by ${listTriggers(result.triggers)}. Change or remove them first.`,
            { reason: 'IN_USE' },
          )
        default:
          return result satisfies never
      }
    },

    findByName: async (accountCode, given) =>
      isName(given.name) ? store.findByName(accountCode, withUsableCode(given)) : null,

    async findRunnable(accountCode, given, hash) {
      if (!isName(given.name)) throw noFunction(given.name)
      const isBadHash = hash !== null && !isHash(hash)
      const result = await store.findRunnable(accountCode, withUsableCode(given), isBadHash ? null : hash)
      if (result.kind === 'missing')
        throw result.what === 'function' ? noFunction(given.name) : noVersion(hash ?? '')
      if (isBadHash) throw noVersion(hash)
      return result.runnable
    },

    listAfter: store.listAfter,
  }
}

const sourceRule = 'must not contain NUL or half a surrogate pair; write `\\0` or `\\ud800`'
const commentRule = `must have at most ${maxCommentCharacters} characters, none of them NUL`
function isComment(text: string): boolean {
  return text.length <= maxCommentCharacters && isStorable(text)
}

/** True for a text that can name a version. A database may refuse to compare others. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

// No function has another code, and a database may refuse to compare it.
function withUsableCode({ name, caseTypeCode }: FunctionName): FunctionName {
  return { name, caseTypeCode: caseTypeCode !== null && isName(caseTypeCode) ? caseTypeCode : null }
}

function explainBadHash(rows: readonly StoredFunction[]) {
  return { kind: 'missing', what: rows.length === 0 ? 'function' : 'version' } as const
}

/** A function of another account gets the same answer as one that does not exist. */
export function noFunction(given: string): RostrumError {
  return new RostrumError('NOT_FOUND', `There is no function \`${cut(given)}\`.`)
}

export function noVersion(hash: string): RostrumError {
  return new RostrumError('NOT_FOUND', `The function has no version \`${cut(hash)}\`.`)
}

function listTriggers(triggers: readonly string[]): string {
  const more = triggers.length > maxShownTriggers ? ' and more' : ''
  return `${triggers.slice(0, maxShownTriggers).join(', ')}${more}`
}

function cut(text: string): string {
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text
}
