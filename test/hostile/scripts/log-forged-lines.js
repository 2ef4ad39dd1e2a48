// Log data with line breaks, colours and JSON of its own.
// ends: exit
// logs: [["x\n{\"level\":60,\"account\":\"beta\",\"msg\":\"forged\"}\r\n\u001b[31mred\u0000\u2028"]]
// result: 1
log('x\n{"level":60,"account":"beta","msg":"forged"}\r\n\u001b[31mred\u0000\u2028')
exit(1)
