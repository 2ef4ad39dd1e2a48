// Dates of a calendar that is computed, far from now.
// ends: TIMEOUT MEMORY
log('before')
for (;;) Temporal.PlainDate.from('+270000-01-01').withCalendar('chinese').toString()
