// Durations whose every nanosecond is counted.
// ends: TIMEOUT MEMORY
log('before')
for (;;) Temporal.Duration.from({ years: 1e5 }).total({ unit: 'nanoseconds', relativeTo: '2020-01-01' })
