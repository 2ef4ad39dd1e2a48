// Source of 256 KiB to the byte.
// ends: exit
// logs: []
// result: 1
// source: 'exit(1)//' + 'x'.repeat(262144 - 9)
