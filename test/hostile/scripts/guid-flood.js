// Calls into the host without end.
// ends: TIMEOUT
log('before')
for (;;) generateGuid()
