// Words of a script that has no spaces, in ICU.
// ends: TIMEOUT MEMORY
log('before')
exit([...new Intl.Segmenter('th', { granularity: 'word' }).segment('ก'.repeat(2e7))].length)
