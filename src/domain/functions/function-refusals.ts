import { RostrumError } from '../../errors.ts'
import { shorten } from '../../json/surrogates.ts'
import type { FunctionName } from './function-store.ts'

// Maximum length of a name or code in a message.
const maxShownCharacters = 70
// Maximum number of triggers that a message lists.
const maxShownTriggers = 10

/** Returns the error for an unknown function. A function of another account gets the same error. */
export function noFunction(which: number | string | FunctionName): RostrumError {
  return new RostrumError('NOT_FOUND', `There is no function ${describeFunction(which)}.`)
}

export function noVersion(hash: string): RostrumError {
  return new RostrumError('NOT_FOUND', `The function has no version \`${cut(hash)}\`.`)
}

export function tooManyFunctions(max: number): RostrumError {
  const message = `The account has \`${max}\` functions, the maximum. Remove one that is not needed.`
  return new RostrumError('CONFLICT', message, { reason: 'LIMIT' })
}

/** Returns the error for removing a function that these triggers use. */
export function functionInUse(which: number | FunctionName, triggers: readonly string[]): RostrumError {
  const more = triggers.length > maxShownTriggers ? ' and more' : ''
  const users = `${triggers.slice(0, maxShownTriggers).join(', ')}${more}`
  const message = `Function ${describeFunction(which)} is used by ${users}. Change or remove them first.`
  return new RostrumError('CONFLICT', message, { reason: 'IN_USE' })
}

/**
 * Returns the error for a change whose condition the live version does not meet. The hash is null if there is no such
 * function.
 */
export function conditionNotMet(which: number | FunctionName, liveHash: string | null): RostrumError {
  const found =
    liveHash === null
      ? `There is no function ${describeFunction(which)}`
      : `The live version of function ${describeFunction(which)} is \`${liveHash}\``
  const message = `${found}, so your condition is not met and nothing was changed. Read it, then try again.`
  return new RostrumError('PRECONDITION_FAILED', message, {
    reason: 'VERSION',
    facts: { liveVersion: liveHash },
  })
}

/** Where and why a script does not compile. */
export interface CompileError {
  readonly code: string
  readonly message: string
  readonly line: number | null
  readonly column: number | null
}

/** The refusal of a source that does not compile. REST answers with the script's own error (contract, section 9). */
export class UncompiledSource extends RostrumError {
  readonly scriptError: CompileError

  constructor(error: CompileError) {
    const detail = describeCompileError(error)
    const { line, column } = error
    super('BAD_USER_INPUT', `\`sourceCode\` ${detail}.`, {
      fields: [{ pointer: '/sourceCode', detail }],
      facts: { ...(line !== null && { line }), ...(column !== null && { column }) },
    })
    this.scriptError = error
  }
}

/** Says in words where and why a source does not compile. */
export function describeCompileError({ message, line, column }: CompileError): string {
  const place = line === null ? '' : ` (line ${line}, column ${column})`
  return `does not compile: ${message}${place}`
}

/** Returns a function's id or name in the form for messages. */
export function describeFunction(which: number | string | FunctionName): string {
  if (typeof which !== 'object') return `\`${cut(String(which))}\``
  const { name, caseTypeCode } = which
  const place = caseTypeCode === null ? '' : ` of case type \`${cut(caseTypeCode)}\``
  return `\`${cut(name)}\`${place}`
}

const cut = (text: string): string => shorten(text, maxShownCharacters)
