// Exports of the module, see Module in ../module.ts; the second group is what compiled code calls, see ../../compiler/runtime.ts.
export { analyse, markJumps } from "./analysis";
export { charge, chargeCall, hash, runExact, runFast, takeCreateGas } from "./interpreter";
export { addmod, mulmod, sdivmod, udivmod } from "./division";
export { step } from "./interpreter";
export { loadPadded } from "./memory";
export { mul } from "./word";
