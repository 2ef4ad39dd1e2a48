import { z } from 'zod'
import { jsonObject, mustBe, readBody } from './read-body.ts'

const caseTaskBody = jsonObject(
  {
    // The resolver reads it.
    params: z.unknown().optional(),
    dry_run: z
      .boolean({ error: mustBe('true or false') })
      .nullable()
      .optional(),
  },
  'a JSON object',
)

/** Reads the input of `runCaseTask` from a body (contract, section 7). A request without a body has no params. */
export function readCaseTaskBody(body: unknown = {}, isStrict = false) {
  const { params, dry_run: dryRun } = readBody(caseTaskBody, body, isStrict)
  return { params: params ?? null, dryRun: dryRun ?? false }
}
