import type { WriteAnswer } from './write-answers.ts'

/**
 * How a listed host may answer, and what the script gets: a JSON value, or the message that its call rejects with. To
 * add one, add a line; `waits` is for those that only the run's deadline ends.
 */
export interface HostAnswer {
  readonly title: string
  readonly write: WriteAnswer
  readonly gives: { readonly json: unknown } | { readonly message: string } | 'waits'
}

/** Most bytes of an answer, as the gateway is set by default. */
export const most = 2 * 2 ** 20

/** The status line and the type of an answer whose other headers and body follow. */
export const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** Ten bytes. */
export const data = '{"data":1}'

export const json = (value: unknown) => ({ json: value })
export const noJson = { message: 'the answer is not JSON' }
export const unreached = { message: 'the host could not be reached' }

/** Answers that give the script the same. */
export function group(
  gives: HostAnswer['gives'],
  answers: Readonly<Record<string, WriteAnswer>>,
): HostAnswer[] {
  return Object.entries(answers).map(([title, write]) => ({ title, write, gives }))
}
