import { readVersion } from '../version.ts'
import { headers, pick, problems } from './answers.ts'
import { cases } from './case-operations.ts'
import { directory, memberships } from './directory-operations.ts'
import { type DocumentedOperation, prefer } from './operation-parts.ts'
import { schemas } from './schemas.ts'
import { functions, others, scripts } from './script-operations.ts'

// In the order of the document.
const operations = [...memberships, ...directory, ...cases, ...scripts, ...functions, ...others]

let printed: string | null = null

/** The OpenAPI 3.1 document of the REST side, as JSON: the same text for every gateway of a version. */
export function printDocument(): string {
  printed ??= JSON.stringify(createDocument())
  return printed
}

function createDocument(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {}
    methods[operation.method] = describe(operation)
    paths[operation.path] = methods
  }
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Rostrum',
      version: readVersion(),
      summary: "Keeps your customers' teams and cases, and runs their JavaScript safely.",
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tags.map(name => ({ name })),
    paths,
    components: {
      schemas: { ...schemas, ...problems },
      headers,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of `npm run token`.' },
      },
    },
  }
}

function describe(operation: DocumentedOperation): object {
  const { id, method, tag, summary, scope, parameters = [], body, answers } = operation
  const all = body === undefined || scope === null ? parameters : [...parameters, prefer]
  const sorted = Object.entries(answers).sort(([a], [b]) => Number(a) - Number(b))
  // A DELETE has no documented body, but refuses the fields of one that it gets.
  const confirms = scope !== null && method !== 'get'
  const responses = Object.fromEntries(
    confirms ? sorted.map(([status, answer]) => [status, confirmPreference(answer)]) : sorted,
  )
  return {
    operationId: id,
    tags: [tag],
    summary,
    security: scope === null ? [] : [{ bearer: [scope] }],
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses,
  }
}

function confirmPreference({ headers: own = {}, ...answer }: { readonly headers?: object }): object {
  return { ...answer, headers: { ...own, ...pick('Preference-Applied') } }
}
