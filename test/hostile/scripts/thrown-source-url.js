// A script that names its own source, and a map to a file of the host.
// ends: RUNTIME
// place: 5:7
log('before')
throw new Error('x')
//# sourceURL=/etc/passwd
//# sourceMappingURL=data:application/json,{"version":3,"sources":["/etc/passwd"],"mappings":"AAAA"}
