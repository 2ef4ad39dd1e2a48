import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { scanJson } from '../../json/scan-json.ts'
import { findFiles, findStat } from '../files/find-files.ts'
import { wrongUse } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { readTextFile } from '../run/read-documents.ts'

const object = z.record(z.string(), z.unknown())

const rule = z.strictObject({
  name: z.string().min(1).optional(),
  script: z.string().min(1),
  input: z.unknown().optional(),
  options: object.optional(),
  graphql: z
    .array(z.strictObject({ field: z.string(), variables: object.optional(), answer: z.unknown() }))
    .optional(),
  expect: z
    .strictObject({
      outcome: z.enum(['exit', 'fail', 'error']),
      payload: z.unknown().optional(),
      message: z.string().optional(),
      code: z.string().optional(),
    })
    .optional(),
})

export type Case = z.infer<typeof rule>

/** A case with where it stands. */
export interface FoundCase {
  readonly name: string
  /** The absolute path of its file. */
  readonly file: string
  readonly text: string
  readonly content: Case
  /** The input and the options as JSON texts, with their numbers as they are written. */
  readonly input: string
  readonly options: string
  readonly scriptFile: string
  readonly sourceCode: string
}

/** Reads the cases below these paths, in the order of their names. Throws an error that names a bad file. */
export function readCases(
  paths: readonly string[],
  { resolve: toPath }: Pick<CommandCall, 'resolve'>,
): FoundCase[] {
  const files = paths.flatMap(path => findCaseFiles(path, toPath(path)))
  const unique = new Map(files.map(({ shown, file }) => [file, shown]))
  return [...unique].map(([file, shown]) => readCase(file, shown))
}

function findCaseFiles(
  shown: string,
  path: string,
): readonly { readonly shown: string; readonly file: string }[] {
  const stat = findStat(path)
  if (stat === null) throw wrongUse(`There is no \`${shown}\`. Name a folder or a file with cases.`)
  if (!stat.isDirectory()) return [{ shown, file: path }]
  return findFiles(path, '.json').map(name => ({ shown: join(shown, name), file: join(path, name) }))
}

function readCase(file: string, shown: string): FoundCase {
  const text = readTextFile(file, shown)
  const { data: content, error } = rule.safeParse(parseCase(text, shown))
  if (content === undefined) {
    const [issue] = error.issues
    const place = issue?.path.join('.') || 'the case'
    throw wrongUse(`\`${shown}\` is no case: ${place}: ${issue?.message ?? 'not what it must be'}.`)
  }
  const scriptFile = resolve(dirname(file), content.script)
  return {
    name: content.name ?? shown.replace(/\.json$/, ''),
    file,
    text,
    content,
    scriptFile,
    ...readDocuments(text),
    sourceCode: readScript(scriptFile, shown, content.script),
  }
}

function readDocuments(text: string): Pick<FoundCase, 'input' | 'options'> {
  const limits = { maxDepth: Number.POSITIVE_INFINITY }
  const { members } = scanJson(Buffer.from(text), limits, ['input', 'options'])
  const read = (name: string) => members.get(name)?.bytes.toString() ?? '{}'
  return { input: read('input'), options: read('options') }
}

function parseCase(text: string, shown: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrongUse(`\`${shown}\` is not JSON: ${(error as Error).message}.`)
  }
}

function readScript(path: string, shown: string, script: string): string {
  try {
    return readTextFile(path, script)
  } catch (error) {
    throw wrongUse(
      `\`${shown}\` names the script \`${script}\`, relative to the case. ${(error as Error).message}`,
    )
  }
}
