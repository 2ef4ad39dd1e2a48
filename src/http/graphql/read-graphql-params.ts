import type { FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'
import { parseJson } from '../../json/parse-json.ts'
import { queryOf } from '../paths.ts'
import { parseParameters } from '../request/parse-parameters.ts'

const maxFields = 100

const known = ['query', 'operationName', 'variables', 'extensions']

/**
 * Reads the parameters of a GraphQL request from the body of a POST or the query string of a GET, without checking
 * their values.
 */
export function readGraphqlParams({ method, url, body }: FastifyRequest): unknown {
  if (method === 'POST') return isPlainObject(body) ? { ...body } : body
  const given = parseParameters({ text: queryOf(url), maxFields, what: 'A query string' })
  const params: Record<string, unknown> = Object.create(null)
  for (const [name, value] of given) {
    // Yoga would say that the parameter is in the body.
    if (!known.includes(name))
      throw new RostrumError(
        'BAD_USER_INPUT',
        `\`${name.slice(0, 100)}\` is no parameter of a GraphQL request. Its parameters are ${known.join(', ')}.`,
      )
    if (name in params) throw new RostrumError('BAD_USER_INPUT', `\`${name}\` is given more than once.`)
    params[name] = name === 'variables' || name === 'extensions' ? parseParam(name, value) : value
  }
  // In a query string, an empty name is no name (GraphQL over HTTP, GET).
  if (params.operationName === '') delete params.operationName
  return params
}

function parseParam(name: string, text: string): unknown {
  if (text === '') return null
  try {
    return parseJson(text)
  } catch (cause) {
    throw new RostrumError('BAD_USER_INPUT', `\`${name}\` is not valid JSON.`, { cause })
  }
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
