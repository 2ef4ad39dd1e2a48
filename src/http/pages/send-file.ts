import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { overloaded, RostrumError } from '../../errors.ts'
import { answerError } from '../errors/answer-error.ts'
import { takesGzip } from '../request/negotiate-accept.ts'
import type { BuiltFile } from './build-site.ts'
import { PagePlaces } from './page-places.ts'

// Maximum number of files sent at once. A browser asks for six at a time, and most are a few kilobytes.
const maxFilesAtOnce = 256
// The kernel copies a large file at once, so fewer of them are sent, and one in each turn of the event loop.
const largeBytes = 200_000
const maxLargeAtOnce = 32

const decompress = promisify(gunzip)

/**
 * Returns the headers of every page. A page of another origin that opened it in a new tab cannot lead it elsewhere
 * afterwards, for example to another script just before the person runs it.
 */
function pageHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

interface PlainFile {
  readonly bytes: Promise<Buffer>
  readers: number
}

/** Decompressed files, while they are sent. All answers share one copy: that of TypeScript has 9 MB. */
class PlainFiles {
  readonly #files = new Map<BuiltFile['gzipped'], PlainFile>()

  /**
   * Returns the file. `state.atEnd` releases it, but not before it is decompressed: clients that disconnect at once
   * would have it decompressed again for each of them.
   */
  read(gzipped: BuiltFile['gzipped'], { state }: FastifyRequest): Promise<Buffer> {
    const file = this.#files.get(gzipped) ?? { bytes: decompress(gzipped), readers: 0 }
    this.#files.set(gzipped, file)
    file.readers++
    state.atEnd(() => {
      const release = () => {
        file.readers--
        if (file.readers === 0) this.#files.delete(gzipped)
      }
      void file.bytes.then(release, release)
    })
    return file.bytes
  }
}

interface Sent {
  /** Undefined if there is no such file. */
  readonly file: BuiltFile | undefined
  /** Null for a file that is no page. */
  readonly policy: string | null
  /** Names of request headers that choose the file, besides `Accept-Encoding`. */
  readonly vary?: readonly string[]
}

export type SendFile = ReturnType<typeof createSender>

/** Returns a function that sends files of pages, compressed if the client takes it, and only some of them at once. */
export function createSender() {
  const places = new PagePlaces(maxFilesAtOnce)
  const largePlaces = new PagePlaces(maxLargeAtOnce)
  const plainFiles = new PlainFiles()
  let lastLarge: Promise<void> = Promise.resolve()

  function waitForLarge(): Promise<void> {
    lastLarge = lastLarge.then(() => nextTurn())
    return lastLarge
  }

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    { file, policy, vary = [] }: Sent,
  ): Promise<FastifyReply> => {
    if (file === undefined)
      return answerError({
        request,
        reply,
        error: new RostrumError('NOT_FOUND', 'There is nothing at this path.'),
      })
    const { type, gzipped } = file
    const isLarge = gzipped.length >= largeBytes
    const ofSize = isLarge ? largePlaces : places
    const leave = ofSize.take(() => request.raw.destroy())
    if (leave === null) {
      const error = overloaded(`${ofSize.max} files of pages are being sent, the maximum`, 1)
      return answerError({ request, reply: reply.header('connection', 'close'), error })
    }
    request.state.atEnd(leave)
    const isGzipped = takesGzip(request.raw)
    reply.type(type).headers({
      ...(policy === null ? {} : pageHeaders(policy)),
      'x-content-type-options': 'nosniff',
      vary: [...vary, 'accept-encoding'].join(', '),
    })
    if (isGzipped) reply.header('content-encoding', 'gzip')
    const bytes = isGzipped ? gzipped : await plainFiles.read(gzipped, request)
    if (isLarge) await waitForLarge()
    return reply.send(bytes)
  }
}
