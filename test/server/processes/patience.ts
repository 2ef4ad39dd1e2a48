/**
 * A busy machine boots sandboxes slowly and runs scripts slowly. Under these settings no run ends for that, so that
 * tests of other things do not fail for it. Most tests run no script: sandboxes beyond one start when they are needed.
 */
export const patience = {
  ROSTRUM_QUEUE_WAIT_MS: '60000',
  ROSTRUM_TASK_TIMEOUT_MS: '60000',
  ROSTRUM_WARM_SANDBOXES: '1',
}

/** For tests that measure: the gateway's own limits and warm sandboxes, as without the settings. */
export const usualPatience = {
  ROSTRUM_QUEUE_WAIT_MS: '',
  ROSTRUM_TASK_TIMEOUT_MS: '',
  ROSTRUM_WARM_SANDBOXES: '',
}
