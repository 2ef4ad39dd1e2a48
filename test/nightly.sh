#!/usr/bin/env bash
# Many generated requests and kills, and the hostile scripts through each way in and under other settings of the sandbox.
set -euo pipefail

PROPERTY_CASES=${PROPERTY_CASES:-210000} vitest run --project slow test/properties \
  --reporter=default --reporter=./test/properties/plan/totals-reporter.ts
SPEECHES=240 vitest run test/taken-over/generated-speeches.slow.test.ts
KILLS=50 vitest run test/faults/kills/killed-sqlite.slow.test.ts test/faults/kills/queued-kills.slow.test.ts
BENCH_SECTIONS=queue vitest run test/bench/bench.slow.test.ts
HOSTILE_DOORS=all vitest run test/hostile/running-scripts
HOSTILE_DOORS=all HOSTILE_SETTINGS='ROSTRUM_ISOLATION=account ROSTRUM_JIT=1' vitest run test/hostile/running-scripts
