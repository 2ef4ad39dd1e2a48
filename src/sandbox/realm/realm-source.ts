import type { SandboxSetup } from '../../scripts/protocol.ts'
import { makeEndings } from './endings.ts'
import { makeGraphql } from './graphql.ts'
import { makeHideSource } from './hide-source.ts'
import { captureLanguage } from './language.ts'
import { makeLog } from './log.ts'
import { type MethodName, makePlatform } from './platform.ts'
import { makePlatformCalls } from './platform-calls.ts'
import { makeReduceGlobals } from './reduce-globals.ts'
import { makeStart } from './run-script.ts'
import { makeDescribeError } from './text/describe-error.ts'
import { makeIsPlain } from './text/is-plain.ts'
import { makeJson } from './text/json.ts'
import { makeLossyKinds } from './text/lossy-kinds.ts'
import { makeParseText } from './text/parse-text.ts'

/**
 * Returns the text that turns a bare context into a script's realm. It runs once, for the snapshot that every isolate
 * starts from, and defines the global `takeRealm`. That function takes the host's `post`, removes itself and returns
 * the function that the host calls; it is one, because the host pays for each reference. Node strips types in place, so
 * the text of each part is plain JavaScript.
 */
export function realmSource({ limits, platform }: SandboxSetup): string {
  const names = platform.map(({ object, method }): MethodName => [object, method])
  return `'use strict'
globalThis.takeRealm = (() => {
  const language = (${captureLanguage})()
  language.parseText = (${makeParseText})(language)
  const state = language.create(null)
  state.limits = ${JSON.stringify(limits)}
  state.cutEntries = 0
  state.cutCharacters = 0
  const json = (${makeJson})(language, (${makeLossyKinds})(language), (${makeIsPlain})(language))
  const errors = (${makeDescribeError})(language)
  const parts = { language, json, errors, state }
  const endings = (${makeEndings})(parts)
  const calls = (${makeGraphql})(parts)
  const { log, console } = (${makeLog})(parts)
  const platformOf = (${makePlatform})(parts, calls.ask, ${makePlatformCalls}, ${JSON.stringify(names)})
  const source = (${makeHideSource})(language)
  const { reduce, provideTemporal } = (${makeReduceGlobals})(console, errors.prepareStackTrace)
  const { expose, start } = (${makeStart})({ ...parts, endings, calls, log, platformOf, provideTemporal, source })
  expose()
  return post => {
    delete globalThis.takeRealm
    state.post = post
    reduce()
    source.install()
    // Spreading would call the iterator of arrays, which the script may have changed.
    return (kind, a, b, c, d) => (kind === 'start' ? start(a, b, c, d) : calls.resolveCall(a, b, c, d))
  }
})()`
}

/**
 * Returns a text that runs the usual path of a script once in a temporary context, so that the snapshot contains its
 * compiled code. Each function in it makes each isolate a little dearer, so it calls no method of `Platform`.
 */
export function warmUpSource(): string {
  const setup = {
    reusesIsolate: true,
    compilesOnly: false,
    exitsData: true,
    requestContext: '{}',
    file: 'warm-up',
  }
  const script = `graphql('', {})
log(1, payload, [new Date(0)])
try { fail('') } catch {}
exit(payload)`
  const texts = [script, '{"a":["\\n"]}', '{}', JSON.stringify(setup)]
  return `const enter = takeRealm(() => undefined)
enter('start', ...${JSON.stringify(texts)})
enter('answer', 1, true, '{}', '')`
}
