// Exports of the module, see Interpreter in ../module.ts; the second group is called by compiled code, see ../../compiler/runtime.ts.
export { analyse, markJumps } from "./analysis";
export { charge, chargeCall, hash, runExact, runFast, takeCreateGas, useSlot } from "./interpreter";
export { addAccount } from "./accounts";
export { drive } from "./drive";
export { takeSlot } from "./slots";
export { beginPower, continuePower } from "./power";
export { beginRun, commitScope, openScope, revertScope } from "./scopes";
export { addmod, mulmod, sdivmod, udivmod } from "./division";
export { step } from "./interpreter";
export { loadPadded } from "./memory";
export { keccak256 } from "./keccak";
export { sload, sstore } from "./slots";
export { mul } from "./word";
