import type { Execution } from '../../domain/scripts/run.ts'
import type { RunCause } from '../../domain/scripts/run-cause.ts'
import { cutText } from '../../json/surrogates.ts'

// Maximum length of a message in the line of a run that failed.
const maxLoggedCharacters = 300

// Maximum length of a message in a hint. Longer messages are cut.
const maxHintCharacters = 1_000

/** Returns the fields that name the function of a run, and what caused it, in each of its lines of the log. */
export function toLogFields({ trigger, event, function: stored, case: ofCase }: RunCause) {
  if (stored === null) return {}
  const { id } = ofCase ?? { id: null }
  return {
    trigger,
    ...(event === null ? {} : { event }),
    function: stored.name,
    version: stored.hash,
    ...(id === null ? {} : { case: id }),
  }
}

/** Returns the level and the fields of the line for the end of a run. Without `exit` it is a warning that says why. */
export function toLogEnd({ outcome, error, message, durationMs }: Execution) {
  const facts = { outcome, error: error?.code, durationMs }
  if (outcome === 'exit') return { level: 'info', facts } as const
  const said = cutText(error?.message ?? message ?? '', maxLoggedCharacters)
  return { level: 'warn', facts: { ...facts, message: said, line: error?.line ?? undefined } } as const
}

/** Returns the hint of a runtime error: what was wrong with the first refused call of the script. */
export function toHint(refusal: string): string {
  const message = refusal.replace(/^graphql: /, '')
  // The message comes after a colon, so a sentence begins in lower case there. Names such as `NOT_FOUND` and `Syntax
  // Error` stay unchanged.
  const sentence = /^(?!Syntax Error:)[A-Z][a-z ]/.test(message)
    ? message[0]?.toLowerCase() + message.slice(1)
    : message
  return cutText(`\`graphql()\` was refused: ${sentence}`, maxHintCharacters)
}
