import { z } from 'zod'
import { logLevels, runErrorCodes } from '../domain/scripts/run.ts'
import { type FromSandbox, type HeldMessage, readLine } from './protocol.ts'

const position = z.int().min(1).nullable()

const ending = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exit'), payload: z.string() }),
  z.strictObject({ kind: z.literal('fail'), message: z.string() }),
  z.strictObject({
    kind: z.literal('error'),
    error: z.strictObject({
      code: z.enum(runErrorCodes).exclude(['CRASHED']),
      message: z.string().max(10_000),
      line: position.catch(null),
      column: position.catch(null),
      stack: z.string().max(20_000).nullable(),
    }),
  }),
])

const message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('begun'), run: z.string() }),
  z.strictObject({
    type: z.literal('log'),
    run: z.string(),
    at: z.number().optional(),
    level: z.enum(logLevels),
    data: z.string(),
  }),
  z.strictObject({
    type: z.literal('graphql'),
    run: z.string(),
    call: z.int().min(1),
    query: z.string(),
    variables: z.string(),
    url: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal('cut'),
    run: z.string(),
    entries: z.int().min(1),
    characters: z.int().min(0),
    isFinal: z.boolean(),
  }),
  z.strictObject({ type: z.literal('end'), run: z.string(), ending }),
])

/** Parses a line from a sandbox. Returns null if it is not a message of the protocol; the child is then compromised. */
export function parseMessage(line: string): FromSandbox | null {
  try {
    const parsed = message.safeParse(readLine(line))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** True for a message that a sandbox may leave in its pipe for held lines. */
export function isHeld(message: FromSandbox): message is HeldMessage {
  return message.type !== 'graphql' && message.type !== 'end'
}
