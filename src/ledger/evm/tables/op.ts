/** Numbers of the opcodes that tracers look for by name, the same under every rule set. */
export const Op = {
  balance: 0x31,
  extCodeSize: 0x3b,
  extCodeCopy: 0x3c,
  extCodeHash: 0x3f,
  sload: 0x54,
  sstore: 0x55,
  log0: 0xa0,
  log4: 0xa4,
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  selfDestruct: 0xff,
} as const;
