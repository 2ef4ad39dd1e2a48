#!/usr/bin/env bash
# Long soaks, many generated requests and kills, every attack of one caller, every signal that can end a gateway or a run
# of the tests, and the hostile scripts through each way in and under other settings of the sandbox.
set -euo pipefail

PROPERTY_CASES=${PROPERTY_CASES:-210000} vitest run --project slow test/properties \
  --reporter=default --reporter=./test/properties/plan/totals-reporter.ts
SPEECHES=240 KILLS=50 vitest run --project nightly
BENCH_SECTIONS=queue vitest run test/bench/bench.nightly.test.ts
HOSTILE=all vitest run --project waiting --project timed test/hostile
HOSTILE=all vitest run --project slow test/hostile/running-scripts test/scripts/run/gateway-death test/interrupted
HOSTILE=all HOSTILE_SETTINGS='ROSTRUM_ISOLATION=account ROSTRUM_JIT=1' vitest run test/hostile/running-scripts
