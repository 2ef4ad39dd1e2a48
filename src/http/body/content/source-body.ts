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
  /** The other members of a record that is sent back as it was read. */
  readonly record: Readonly<Record<string, unknown>>
}

/** Reads a version of a function from a body (contract, section 9): the source itself, or JSON. */
export function readSourceBody(body: unknown, isStrict = false): GivenSource {
  if (body === undefined) throw emptySource()
  if (body instanceof SourceText) return { sourceCode: body.text, comment: null, makeLive: null, record: {} }
  const {
    source_code: sourceCode,
    comment = null,
    make_live: makeLive = null,
    ...record
  } = readBody(savedFunction, body, isStrict).function
  return { sourceCode, comment, makeLive, record }
}

/** Throws `BAD_USER_INPUT` if the record is that of another function than the address names. */
export function refuseOtherFunction(
  { name, case_type_code: code }: GivenSource['record'],
  address: { readonly name: string; readonly caseTypeCode: string | null },
): void {
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
