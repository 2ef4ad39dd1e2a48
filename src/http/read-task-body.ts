import { z } from 'zod'
import { RostrumError } from '../errors.ts'
import { mustBe, readBody } from './read-body.ts'

const text = z.string({ error: mustBe('text') })

const label = z
  .string({ error: mustBe('text') })
  .nullable()
  .optional()

const isGiven = (value: unknown) => value !== undefined

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const taskBody = z.object(
  {
    name: text,
    sourceCode: text,
    inputDocument: z.custom<unknown>(isGiven, { error: mustBe('a JSON document') }),
    options: z.custom<unknown>(value => typeof value === 'string' || isObject(value), {
      error: mustBe('a JSON object, or text that holds one'),
    }),
    metadata: z
      .object({ case_type_code: label, account_nickname: label }, { error: mustBe('an object') })
      .nullable()
      .optional(),
    'metadata[case_type_code]': label,
    'metadata[account_nickname]': label,
  },
  { error: mustBe('a JSON object or a form') },
)

/** The input of `executeTask` from a body of the execution endpoint (contract, section 4), JSON or form. */
export function readTaskBody(body: unknown) {
  const given = readBody(taskBody, body)
  return {
    name: given.name,
    sourceCode: given.sourceCode,
    inputDocument: asJsonText(given.inputDocument, '/inputDocument'),
    options: asJsonText(given.options, '/options'),
    metadata: {
      caseTypeCode: given.metadata?.case_type_code ?? given['metadata[case_type_code]'] ?? null,
      accountNickname: given.metadata?.account_nickname ?? given['metadata[account_nickname]'] ?? null,
    },
  }
}

/** Where a label of a task stands in its body: in the object, or beside it under a bracketed key. */
export function pointersIntoTask(body: unknown): Readonly<Record<string, string>> {
  const { metadata } = body as { readonly metadata?: Readonly<Record<string, unknown>> | null }
  const pointerOf = (label: string) =>
    metadata?.[label] == null ? `/metadata[${label}]` : `/metadata/${label}`
  return {
    '/metadata/caseTypeCode': pointerOf('case_type_code'),
    '/metadata/accountNickname': pointerOf('account_nickname'),
  }
}

// Text is taken to hold JSON; any other value stands for itself. What `JSON.parse` could read may still be too deep here.
function asJsonText(value: unknown, pointer: string): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch (cause) {
    const detail = 'is nested too deeply'
    throw new RostrumError('BAD_USER_INPUT', `\`${pointer}\` ${detail}.`, {
      fields: [{ pointer, detail }],
      cause,
    })
  }
}
