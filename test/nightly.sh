#!/usr/bin/env bash
# Many generated requests and kills, and the hostile scripts through each way in and under other settings of the sandbox.
set -euo pipefail

PROPERTY_CASES=${PROPERTY_CASES:-210000} vitest run --project slow test/properties \
  --reporter=default --reporter=./test/properties/totals-reporter.ts
SPEECHES=240 vitest run test/taken-over/generated-speeches.slow.test.ts
KILLS=50 vitest run test/faults/killed-sqlite.slow.test.ts test/faults/queued-kills.slow.test.ts
HOSTILE_DOORS=all vitest run test/hostile/scripts.slow.test.ts
HOSTILE_DOORS=all HOSTILE_SETTINGS='ROSTRUM_ISOLATION=account ROSTRUM_JIT=1' vitest run test/hostile/scripts.slow.test.ts
