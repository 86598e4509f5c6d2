import { recoveryModule } from "./module.ts";

/** The module that recovers keys. The build writes its bytes in place of this file. */
export const bytes = (): Uint8Array => recoveryModule();
