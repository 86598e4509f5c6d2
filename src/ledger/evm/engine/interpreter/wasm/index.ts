// Exports of the module, see Module in ../module.ts.
export { analyse, markJumps } from "./analysis";
export { charge, chargeCall, hash, runExact, runFast, takeCreateGas } from "./interpreter";
