// Source one byte past 256 KiB, in characters of three bytes.
// ends: 413
// source: '//' + '€'.repeat(87382)
