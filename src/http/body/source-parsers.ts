import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'
import type { HttpServices } from '../request/http-services.ts'
import { parseSourceBody } from './content/source-body.ts'
import { createBodyParser } from './create-body-parser.ts'

/** The types of a body that is a source. A body without a type is one too. */
const sourceTypes = ['text/javascript', 'application/javascript', 'application/octet-stream']

/** Adds the parsers of a source as a whole body, which has at most the bytes of a source, and refuses other types. */
export function addSourceParsers(routes: FastifyInstance, services: HttpServices): void {
  const bodyBytes = Math.min(services.bodyBytes, services.sourceBytes)
  const parseSource = createBodyParser({ ...services, bodyBytes }, parseSourceBody)
  routes.addContentTypeParser(sourceTypes, parseSource)
  routes.addContentTypeParser('*', (request, payload, done) => {
    if (request.headers['content-type'] === undefined) parseSource(request, payload, done)
    else done(wrongType(request))
  })
}

/** Returns the refusal of a body that is no source. `curl --data-binary` sends a source as a form. */
export function wrongType({ method, headers }: FastifyRequest): RostrumError {
  const type = headers['content-type']?.slice(0, 100)
  const given = type ? `the type \`${type}\`` : 'an empty type'
  const what = method === 'DELETE' ? 'Send no body' : 'Send the source as `text/javascript` or without a type'
  return new RostrumError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The body has ${given}. ${what}, as \`curl -T file.js\` does, or send JSON as \`application/json\`.`,
  )
}
