import { childrenOf } from "../../../../test/e2e/process-tree.ts";

/** The source of an I/O process, and the flags with which Node.js runs it. */
export const script: URL = new URL("../io-process.ts", import.meta.url);
export const execArgv: readonly string[] = ["--import", "tsx"];

/** Process ids of the children of this process that run the script. */
export const pidsOfIoProcesses = (): number[] => childrenOf(process.pid, "io-process.ts");
