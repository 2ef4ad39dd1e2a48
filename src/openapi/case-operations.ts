import { json } from './answers.ts'
import { examples } from './examples.ts'
import {
  byHooks,
  created,
  type DocumentedOperation,
  gone,
  hookCodes,
  id,
  idempotencyKey,
  ids,
  ifMatch,
  jsonBody,
  links,
  name,
  reads,
  runFailed,
  writes,
  written,
} from './operation-parts.ts'

const casePath = '/platform/cases'
const casesWritten = { ...writes(404, 412), ...byHooks }
export const cases: readonly DocumentedOperation[] = [
  {
    ...{ method: 'get', path: casePath, id: 'listCases', tag: 'Cases', scope: 'cases:read' },
    ...{ summary: 'Lists the cases with these ids that exist, in this order', parameters: [ids] },
    answers: { 200: json('The cases.', 'CaseList', examples.cases), ...reads() },
  },
  {
    ...{ method: 'get', path: `${casePath}/{id}`, id: 'getCase', tag: 'Cases', scope: 'cases:read' },
    ...{ summary: 'Reads a case', parameters: [id] },
    answers: { 200: json('The case.', 'CaseBody', examples.case, ['ETag']), ...reads(404) },
  },
  {
    ...{ method: 'post', path: casePath, id: 'createCase', tag: 'Cases', scope: 'cases:write' },
    ...{ summary: 'Creates a case', parameters: [idempotencyKey] },
    body: jsonBody('NewCase', examples.newCase),
    answers: {
      201: {
        ...json('The new case.', 'CaseBody', examples.case, created),
        ...links('case', ['getCase', 'replaceCase', 'mergeCase', 'deleteCase']),
      },
      ...writes(),
      ...byHooks,
    },
  },
  {
    ...{ method: 'put', path: `${casePath}/{id}`, id: 'replaceCase', tag: 'Cases', scope: 'cases:write' },
    ...{ summary: 'Replaces the data of a case', parameters: [id, ifMatch, idempotencyKey] },
    body: jsonBody('CaseData', examples.caseData),
    answers: { 200: json('The case.', 'CaseBody', examples.case, written), ...casesWritten },
  },
  {
    ...{ method: 'patch', path: `${casePath}/{id}`, id: 'mergeCase', tag: 'Cases', scope: 'cases:write' },
    ...{ summary: 'Merges into the data of a case (RFC 7396)', parameters: [id, ifMatch, idempotencyKey] },
    body: jsonBody('CaseData', examples.caseData),
    answers: { 200: json('The case.', 'CaseBody', examples.case, written), ...casesWritten },
  },
  {
    ...{ method: 'delete', path: `${casePath}/{id}`, id: 'deleteCase', tag: 'Cases', scope: 'cases:write' },
    ...{ summary: 'Deletes a case', parameters: [id, ifMatch, idempotencyKey] },
    answers: { ...gone, ...casesWritten },
  },
  {
    ...{ method: 'post', path: '/api/1/case/{id}/task/{name}', id: 'runCaseTask', tag: 'Cases' },
    ...{ summary: 'Runs a task on a case and saves what it exits with', scope: 'cases:write' },
    parameters: [id, name, ifMatch, idempotencyKey],
    body: jsonBody('CaseTask', examples.caseTask, false),
    answers: {
      200: json('The script called `exit`.', 'CaseTaskBody', examples.caseTaskAnswer, written),
      ...writes(404, 412),
      422: runFailed(
        'The script called `fail` or ended in an error, or a hook refused the change.',
        hookCodes,
      ),
    },
  },
]
