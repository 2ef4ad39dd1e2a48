import { writeFile } from '../files/write-file.ts'
import { CliError, exitCodes } from '../frame/cli-error.ts'
import { readTextFile } from '../run/read-documents.ts'
import type { Case, FoundCase } from './case-file.ts'
import { replaceExpect } from './replace-expect.ts'

/** Writes what came into cases that do not hold. */
export class CaseUpdates {
  // What was compared with the last run of each case, by its file.
  readonly #updated = new Map<string, Pick<FoundCase, 'text' | 'sourceCode'>>()

  /**
   * False for a case that is as this wrote it, with the same script: its outcome differs in each run, so `--watch`
   * would update it without end.
   */
  canUpdate({ file, text, sourceCode }: FoundCase): boolean {
    const last = this.#updated.get(file)
    return last?.text !== text || last.sourceCode !== sourceCode
  }

  // Somebody may have saved the case while its script ran. Another path of this case may have updated it.
  update({ file, text, name, sourceCode }: FoundCase, expect: Case['expect']): void {
    const next = replaceExpect(text, expect)
    const now = readTextFile(file, file)
    if (now !== text && now !== next)
      throw new CliError(
        exitCodes.conflict,
        `The case ${name} was saved while its script ran, and is not updated. Run \`rostrum test --update\` again.`,
      )
    writeFile(file, next)
    this.#updated.set(file, { text: next, sourceCode })
  }
}
