// Each example fits its schema.
const at = '2026-11-20T10:00:00.000Z'
const hash = '5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5'

const membership = { id: 1, user_id: 7, team_id: 3, leader: null }
const user = { id: 7, email: 'ann@example.com', display_name: 'Ann' }
const team = { id: 3, name: 'Blue' }
const caseRecord = {
  id: 41,
  case_type_code: 'incident',
  data: { impact: 3 },
  version: 1,
  created_at: at,
  updated_at: at,
}
const functionRecord = {
  id: 1,
  name: 'priority',
  case_type_code: 'incident',
  live_version: hash,
  version: hash,
  created_at: at,
}
const execution = {
  id: '0b6e3f0a-6c0a-4a62-9a5c-3a1f6f8f7a11',
  name: 'double',
  outcome: 'exit',
  payload: { total: 6 },
  message: null,
  error: null,
  logs: [],
  request_context: {
    txnID: '5f0a7a52-7d5b-4a43-8c39-1b1a5d0c2b10',
    txnSource: 'endpoint|-/double|2026-11-20T10:00:00.000Z',
  },
  duration_ms: 4.2,
}

export const examples = {
  membership: { team_membership: membership },
  memberships: { team_memberships: [membership] },
  newMembership: { team_membership: { user_id: 7, team_id: 3 } },
  movedMembership: { team_membership: { team_id: 4 } },
  user: { user },
  savedUser: { user: { email: 'ann@example.com', display_name: 'Ann' } },
  team: { team },
  savedTeam: { team: { name: 'Blue' } },
  case: { case: caseRecord },
  cases: { cases: [caseRecord] },
  newCase: { case: { case_type_code: 'incident', data: { impact: 3 } } },
  caseData: { case: { data: { impact: 3 } } },
  function: { function: { ...functionRecord, source_code: 'exit(1)' } },
  savedFunction: { function: functionRecord },
  newVersion: { function: { source_code: 'exit(1)', comment: 'first', make_live: true } },
  source: 'exit({ ...payload, priority: "high" })',
  task: {
    name: 'double',
    sourceCode: 'exit({ total: payload.total * 2 })',
    inputDocument: { total: 3 },
    options: {},
  },
  taskForm: {
    name: 'double',
    sourceCode: 'exit({ total: payload.total * 2 })',
    inputDocument: '{"total": 3}',
    options: '{}',
  },
  functionCall: { inputDocument: { total: 3 } },
  functionCallForm: { inputDocument: '{"total": 3}' },
  caseTask: { params: {}, dry_run: true },
  execution: { task_execution: execution },
  failed: { task_execution: { ...execution, outcome: 'fail', payload: null, message: 'no total' } },
  caseTaskAnswer: {
    task_execution: execution,
    case: caseRecord,
    patch: [{ op: 'replace', path: '/impact', value: 4 }],
  },
  queued: { queued_run: { id: '1' } },
} as const
