import { recoveryModule } from "./module.ts";

/** The key recovery module. The build replaces this file with its bytes. */
export const bytes = (): Uint8Array => recoveryModule();
