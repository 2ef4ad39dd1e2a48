import type { SandboxSetup } from '../../tasks/protocol.ts'
import { makeDescribeError } from './describe-error.ts'
import { makeEndings } from './endings.ts'
import { makeGraphql } from './graphql.ts'
import { makeHideSource } from './hide-source.ts'
import { makeJson } from './json.ts'
import { captureLanguage } from './language.ts'
import { makeLog } from './log.ts'
import { makePlatform } from './platform.ts'
import { makeReduceGlobals } from './reduce-globals.ts'
import { makeStart } from './run-script.ts'

/**
 * The text that makes a bare context a script's realm, but for the host's `post`. Run once, into the snapshot that every isolate
 * starts from; it leaves `takeRealm` on the global object, which is given `post`, goes away and gives the two functions that
 * the host calls. Node strips types in place, so each part's own text is plain JavaScript.
 */
export function realmSource({ limits, platform }: SandboxSetup): string {
  return `'use strict'
globalThis.takeRealm = (() => {
  const language = (${captureLanguage})()
  const state = language.create(null)
  state.limits = ${JSON.stringify(limits)}
  state.cutEntries = 0
  state.cutCharacters = 0
  const json = (${makeJson})(language)
  const errors = (${makeDescribeError})(language)
  const parts = { language, json, errors, state }
  const endings = (${makeEndings})(parts)
  const calls = (${makeGraphql})(parts)
  const { log, console } = (${makeLog})(parts)
  const platformOf = (${makePlatform})(language, calls.graphql, ${JSON.stringify(platform)})
  const source = (${makeHideSource})(language)
  const { reduce, placeTemporal } = (${makeReduceGlobals})(console, errors.prepareStackTrace)
  const { expose, start } = (${makeStart})({ ...parts, endings, calls, log, platformOf, placeTemporal, source })
  // The context that the snapshot is made in has no shared memory, and nothing ends there.
  const makeSleep = Shared =>
    Shared && language.bind(Atomics.wait, undefined, new Int32Array(new Shared(4)), 0, 0)
  return post => {
    delete globalThis.takeRealm
    state.post = post
    state.sleep = makeSleep(globalThis.SharedArrayBuffer)
    reduce()
    source.place()
    expose()
    return { start, settle: calls.settle }
  }
})()`
}

/** What most runs do, so that the snapshot has the code of it compiled. Run in a context that is thrown away. */
export function warmUpSource(): string {
  const setup = { keepsIsolate: true, requestContext: '{}', file: 'warm-up' }
  const texts = ['log(payload); exit(payload)', '{"a":1}', '{}', JSON.stringify(setup)]
  return `takeRealm(() => undefined).start(...${JSON.stringify(texts)})`
}
