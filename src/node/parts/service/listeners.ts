import { ipcPathOf } from "../../service/endpoints/ipc-path.ts";
import { part } from "../part.ts";
import { rpc } from "./rpc.ts";

/** JSON-RPC over HTTP, WebSocket and IPC, as configured. */
export const listeners = part({
  name: "listeners",
  needs: { rpc },
  async start({ rpc }, { options }) {
    const offers = rpc.listeners;
    try {
      await offers.launch(ipcPathOf(options));
    } catch (error) {
      await offers.close();
      throw error;
    }
    // A running call would keep its connection, and with it the listener, open.
    const stop = () => {
      rpc.abortCalls();
      return offers.close();
    };
    return { offers, stop };
  },
});
