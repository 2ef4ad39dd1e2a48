import { makeDescribeError } from './describe-error.ts'
import { makeEndings } from './endings.ts'
import { makeGraphql } from './graphql.ts'
import { makeJson } from './json.ts'
import { captureLanguage } from './language.ts'
import { makeLog } from './log.ts'
import { makePlatform } from './platform.ts'
import { reduceGlobals } from './reduce-globals.ts'
import { makeStart } from './run-script.ts'

/**
 * The text that makes a bare context a script's realm: a function body that is given `$0`, the host's `post`, and returns
 * the two functions that the host calls. Node strips types in place, so each part's own text is plain JavaScript.
 */
export function realmSource(): string {
  return `'use strict'
const language = (${captureLanguage})()
const state = language.create(null)
state.post = $0
state.cutEntries = 0
state.cutCharacters = 0
const json = (${makeJson})(language)
const errors = (${makeDescribeError})(language)
const parts = { language, json, errors, state }
const endings = (${makeEndings})(parts)
const calls = (${makeGraphql})(parts)
const { log, console } = (${makeLog})(parts)
const start = (${makeStart})({ ...parts, endings, calls, log, makePlatform: ${makePlatform} })
;(${reduceGlobals})(console, errors.prepareStackTrace)
return { start, settle: calls.settle }`
}
