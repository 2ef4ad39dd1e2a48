// A breakpoint where nobody debugs.
// ends: exit
// result: "on"
log('before')
debugger
eval('debugger')
exit('on')
