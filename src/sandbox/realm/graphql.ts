import type { RealmParts } from './realm-parts.ts'

interface Call {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  error: Error
}

/**
 * Makes `graphql()`, and `resolveCall`, with which the host settles the promises of `graphql()`. Runs inside the
 * isolate as text.
 */
export function makeGraphql({ language, json, state }: RealmParts) {
  const { create, isArray, parseText, Error, TypeError, Promise } = language
  const calls = create(null) as Record<number, Call | undefined>
  let count = 0
  // Calls past the concurrency limit. They wait here, in the memory of the run, and not in the memory of the gateway.
  const waiting = create(null) as Record<number, () => void>
  let posted = 0
  let answered = 0

  const refuse = (message: string): never => {
    throw new TypeError(message)
  }

  const check = (query: unknown, variables: unknown, url: unknown): void => {
    if (typeof query !== 'string') refuse('`graphql` takes the query as a string')
    if (typeof variables !== 'object' || isArray(variables))
      refuse('`graphql` takes the variables as an object')
    if (typeof url !== 'string') refuse('`graphql` takes the url as a string')
  }

  // Call this last, because serializing the variables may run the script's code, and that can make more calls.
  const checkLimits = (characters: number): void => {
    if (characters > state.limits.graphqlCallBytes) {
      throw new Error(
        `The query, its variables and its url have ${characters} characters; ` +
          `at most ${state.limits.graphqlCallBytes} are allowed`,
      )
    }
    if (count < state.limits.graphqlCalls) return
    throw new Error(
      `A run may call \`graphql\` ${state.limits.graphqlCalls} times; this call is one too many`,
    )
  }

  const postNext = (): void => {
    if (posted === count || posted - answered >= state.limits.graphqlCallsAtOnce) return
    posted++
    const post = waiting[posted] as () => void
    delete waiting[posted]
    post()
  }

  const ask = (
    query: unknown,
    variables: unknown,
    url: unknown,
    where: string,
    mustBeFinite: boolean,
  ): Promise<unknown> => {
    // Created now, so that the stack of a rejection shows the line of the call.
    const error = new Error('')
    return new Promise((resolve, reject) => {
      const target = (url ?? '') as string
      check(query, variables, target)
      const text = json.sent(variables, where, mustBeFinite)
      // Checks the text again, because a `toJSON` method may have returned something else.
      if (text !== 'null' && text[0] !== '{') refuse('`graphql` takes the variables as an object')
      checkLimits((query as string).length + text.length + target.length)
      count++
      const id = count
      const call = create(null) as unknown as Call
      call.resolve = resolve
      call.reject = reject
      call.error = error
      calls[id] = call
      waiting[id] = () => state.post('graphql', id, query as string, text, target)
      postNext()
    })
  }

  return {
    graphql: (query: unknown, variables: unknown = null, url: unknown = ''): Promise<unknown> =>
      ask(query, variables, url, 'the variables of `graphql`', false),
    /**
     * Does what `graphql()` does. `where` names the variables in errors. With `mustBeFinite`, infinite numbers and NaN
     * in them are refused.
     */
    ask,
    /**
     * Called by the host to settle a call. `text` is a JSON text, or the message of the rejection. `code` may be empty.
     */
    resolveCall(id: number, ok: boolean, text: string, code: string): void {
      const call = calls[id]
      if (call === undefined) return
      calls[id] = undefined
      answered++
      postNext()
      if (ok) return call.resolve(parseText(text))
      call.error.message = text
      if (code !== '') (call.error as Error & { code?: string }).code = code
      call.reject(call.error)
    },
  }
}
