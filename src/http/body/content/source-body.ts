import { z } from 'zod'
import { type FieldError, invalidInput, RostrumError } from '../../../errors.ts'
import { decodeBody, memoryOf, type ReserveMemory } from '../json-body.ts'
import { jsonObject, mustBe, readBody } from './read-body.ts'

/** The source of a function, sent as a whole body. */
export class SourceText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Parses a body that is the source itself, byte for byte. Throws `BAD_USER_INPUT` if it is empty or not UTF-8. */
export function parseSourceBody(body: Buffer, reserveMemory: ReserveMemory = () => undefined): SourceText {
  if (body.length === 0) throw emptySource()
  reserveMemory(memoryOf(body.length, 0))
  return new SourceText(decodeBody(body, { keepsMark: true }))
}

const returnedFields = ['id', 'name', 'case_type_code', 'live_version', 'version', 'created_at']

const savedFunction = jsonObject(
  {
    function: jsonObject(
      {
        source_code: z.string({ error: mustBe('text') }),
        comment: z
          .string({ error: mustBe('text or null') })
          .nullable()
          .optional(),
        make_live: z
          .boolean({ error: mustBe('true or false') })
          .nullable()
          .optional(),
        // What a read returns can be sent back as it is.
        ...Object.fromEntries(returnedFields.map(name => [name, z.unknown().optional()])),
      },
      'an object',
    ),
  },
  'a JSON object',
)

/** The parts of `saveFunction` that a body contains; null for a part that it leaves out. */
export interface GivenSource {
  readonly sourceCode: string
  readonly comment: string | null
  readonly makeLive: boolean | null
}

/** What an address of a function names. The code is null for a function of all case types. */
export interface FunctionAddress {
  readonly name: string
  readonly caseTypeCode: string | null
}

/** Reads a version of a function from a body (contract, section 9): the source itself, or JSON. */
export function readSourceBody(body: unknown, isStrict = false): GivenSource {
  if (body === undefined) throw emptySource()
  if (body instanceof SourceText) return { sourceCode: body.text, comment: null, makeLive: null }
  const {
    source_code: sourceCode,
    comment = null,
    make_live: makeLive = null,
  } = readBody(savedFunction, body, isStrict).function
  return { sourceCode, comment, makeLive }
}

/**
 * Throws `BAD_USER_INPUT` if a body is the record of another function than the address names. Call it after
 * `readSourceBody`, which checks the form of the body.
 */
export function refuseOtherFunction(body: unknown, address: FunctionAddress): void {
  if (body instanceof SourceText) return
  const { name, case_type_code: code } = (body as { readonly function: Readonly<Record<string, unknown>> })
    .function
  const fields: FieldError[] = []
  if (name != null && name !== address.name)
    fields.push({ pointer: '/function/name', detail: `must be \`${address.name}\`, as in the address` })
  if (code != null && code !== address.caseTypeCode) {
    const given = address.caseTypeCode === null ? 'which has none' : `\`${address.caseTypeCode}\``
    const detail = `must be the \`case_type_code\` of the address, ${given}`
    fields.push({ pointer: '/function/case_type_code', detail })
  }
  if (fields.length > 0) throw invalidInput(fields)
}

/** True if a body that was read contains the comment itself. */
export function hasComment(body: unknown): boolean {
  return !(body instanceof SourceText) && readSourceBody(body).comment !== null
}

function emptySource(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    'The body is empty; send the source, as `curl -T file.js` does, or `{"function": {"source_code": …}}`.',
  )
}
