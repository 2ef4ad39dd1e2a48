import type { FastifyRequest } from 'fastify'
import { RostrumError } from '../errors.ts'

/** The parameters of a GraphQL request, unchecked: the parsed body of a POST, the query string of a GET. */
export function readGraphqlParams({ method, url, body }: FastifyRequest): unknown {
  if (method === 'POST') return body
  const queryStart = url.indexOf('?')
  const given = new URLSearchParams(queryStart === -1 ? '' : url.slice(queryStart + 1))
  const params: Record<string, unknown> = Object.create(null)
  for (const [name, value] of given) {
    if (name in params)
      throw new RostrumError('BAD_USER_INPUT', `\`${name.slice(0, 100)}\` is given more than once.`)
    params[name] = name === 'variables' || name === 'extensions' ? parseParam(name, value) : value
  }
  return params
}

function parseParam(name: string, text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RostrumError('BAD_USER_INPUT', `\`${name}\` is not valid JSON.`, { cause })
  }
}
