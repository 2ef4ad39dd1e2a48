import { z } from 'zod'
import { JsonText } from '../../../json/json-text.ts'
import { parseText } from '../../../json/parse-json.ts'
import { type JsonMember, maxValues } from '../../../json/scan-json.ts'
import { taskLabels } from '../../../operations/executions.ts'
import {
  memoryOf,
  parseJsonBody,
  type ReserveMemory,
  requireUtf8,
  scanBody,
  tooManyValues,
} from '../json-body.ts'
import { jsonObject, mustBe, readBody } from './read-body.ts'

const documents: readonly string[] = ['inputDocument', 'options']

const names: readonly string[] = [
  'name',
  'sourceCode',
  ...documents,
  'metadata',
  'version',
  ...taskLabels.map(({ name }) => besideMetadata(name)),
]

const quote = 0x22
const openBrace = 0x7b
const openBracket = 0x5b

/**
 * Parses the fields of a JSON body that runs a script. Its documents may have any number of values, because
 * they are not parsed: the script gets their text unchanged. Throws like `parseJsonBody`.
 */
export function parseTaskBody(body: Buffer, reserveMemory: ReserveMemory = () => undefined): unknown {
  requireUtf8(body)
  const { isObject, members, otherNames, values } = scanBody(body, { maxMembers: maxValues }, names)
  if (!isObject) return parseJsonBody(body, reserveMemory)
  const given = documents.map(name => members.get(name)?.values ?? 0)
  const made = values - given.reduce((sum, each) => sum + each, 0)
  if (made > maxValues) throw tooManyValues()
  reserveMemory(memoryOf(body.length, made))
  // Unknown fields are seen by name alone, and only where they are refused.
  const others = otherNames.map(name => [name, null])
  return Object.fromEntries([
    ...others,
    ...[...members].map(([name, member]) => [name, readMember(name, member)]),
  ])
}

function readMember(name: string, { bytes }: JsonMember): unknown {
  const text = bytes.toString('utf8')
  const [first] = bytes
  if (!documents.includes(name) || first === quote) return parseText(text)
  if (name === 'inputDocument' || first === openBrace) return new JsonText(text)
  // Options that are not an object are refused later, by their type alone.
  return first === openBracket ? [] : parseText(text)
}

/**
 * Returns the document of a body from `parseTaskBody` if it is there as JSON, which was then checked with the body.
 * Null for a document in a text, and without one.
 */
export function documentIn(body: unknown): string | null {
  const document = (body as { readonly inputDocument?: unknown } | null | undefined)?.inputDocument
  return document instanceof JsonText ? document.text : null
}

const text = z.string({ error: mustBe('text') })

const label = z
  .string({ error: mustBe('text') })
  .nullable()
  .optional()

const labels = (nameOf: (name: string) => string) =>
  Object.fromEntries(taskLabels.map(({ name }) => [nameOf(name), label]))

const isText = (value: unknown) => typeof value === 'string' || value instanceof JsonText

const options = z.custom<string | JsonText>(isText, {
  error: mustBe('a JSON object, or text that holds one'),
})

const runFields = {
  inputDocument: z.custom<string | JsonText>(isText, { error: mustBe('a JSON document') }),
  metadata: z
    .object(
      labels(name => name),
      { error: mustBe(`an object, or send its members as \`${besideMetadata('case_type_code')}\``) },
    )
    .nullable()
    .optional(),
  ...labels(besideMetadata),
}

const body = 'a JSON object or a form'
const taskBody = jsonObject({ name: text, sourceCode: text, ...runFields, options }, body)
const functionBody = jsonObject(
  { ...runFields, options: options.nullable().optional(), version: text.nullable().optional() },
  body,
)

/** Reads the input of `executeTask` from a body of the execution endpoint (contract, section 4), JSON or form. */
export function readTaskBody(body: unknown, isStrict = false) {
  const given = readBody(taskBody, body, isStrict)
  return {
    name: given.name,
    sourceCode: given.sourceCode,
    inputDocument: asText(given.inputDocument),
    options: asText(given.options),
    metadata: readLabels(given),
  }
}

/** Reads the input of `runFunction` but for its name, which is in the path (contract, section 7). */
export function readFunctionBody(body: unknown, isStrict = false) {
  const given = readBody(functionBody, body, isStrict)
  return {
    inputDocument: new JsonText(asText(given.inputDocument)),
    options: given.options == null ? null : new JsonText(asText(given.options)),
    caseTypeCode: readLabels(given).caseTypeCode ?? null,
    version: given.version ?? null,
  }
}

type Labels = Readonly<Record<string, string | null>>

function readLabels(given: {
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
}): Labels {
  const beside = given as Readonly<Record<string, unknown>>
  const labels = taskLabels.map(({ name, field }) => [
    field,
    given.metadata?.[name] ?? beside[besideMetadata(name)] ?? null,
  ])
  return Object.fromEntries(labels)
}

/**
 * Maps the pointer of each label of a task to its place in the body: in `metadata`, or beside it under a bracketed
 * key.
 */
export function pointersIntoTask(body: unknown): Readonly<Record<string, string>> {
  const { metadata } = body as { readonly metadata?: Readonly<Record<string, unknown>> | null }
  const pointerOf = (name: string) =>
    metadata?.[name] == null ? `/${besideMetadata(name)}` : `/metadata/${name}`
  return Object.fromEntries(taskLabels.map(({ name, field }) => [`/metadata/${field}`, pointerOf(name)]))
}

/** Maps the pointers of `runFunction` to the same body; the name is in the path. */
export function pointersIntoFunction(body: unknown): Readonly<Record<string, string>> {
  const { '/metadata/caseTypeCode': caseTypeCode = '' } = pointersIntoTask(body)
  return { '/caseTypeCode': caseTypeCode, '/metadata/caseTypeCode': caseTypeCode }
}

function besideMetadata(name: string): string {
  return `metadata[${name}]`
}

// Text contains JSON; any other value stands for itself.
function asText(value: string | JsonText): string {
  return typeof value === 'string' ? value : value.text
}
